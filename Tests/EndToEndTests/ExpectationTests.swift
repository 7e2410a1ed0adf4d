import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// Expectations of `--expect`.
    @Suite struct ExpectationTests {
        @Test("Expectations of all calls, of any call and of their median hold, and the summary has their spread")
        func met() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call([
                "--json", "--repeat", "3", "--duration", "1s", "--expect", "video.received.framesDecoded>5",
                "--expect", "any(audio.received.kbitPerSecond)>5", "--expect", "median(video.received.lossPercent)==0",
                "--expect", "p95(timelineMs.firstVideoFrame)<10000", "--expect",
                "summary.video.received.jitterMs.max<500", "--expect", "calls.1.video.received.framesDecoded>5",
                "--expect", "statistics.0.bytesReceived>1000", "--expect", "calls.2.statistics.0.bytesSent>1000",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            bob.signal(SIGINT)
            let document = try alice.document()
            let calls = try #require(document["calls"] as? [[String: Any]])
            let rates = try calls.map { try $0.number("video.received.kbitPerSecond") }.sorted()
            #expect(try document.number("summary.video.received.kbitPerSecond.min") == rates[0])
            #expect(try document.number("summary.video.received.kbitPerSecond.median") == rates[1])
            #expect(try document.number("summary.video.received.kbitPerSecond.p95") == rates[2])
            #expect(try document.number("summary.video.received.kbitPerSecond.max") == rates[2])
            let outcomes = try #require(document.value("verdict.expectations") as? [[String: Any]])
            #expect(try outcomes[5].number("actual") == calls[1].number("video.received.framesDecoded"))
            let transport = try #require((calls[2]["statistics"] as? [[String: Any]])?.first)
            #expect(try outcomes[7].number("actual") == transport.number("bytesSent"))
        }

        @Test("A failed expectation names the calls and their value")
        func unmet() async throws {
            let demo = try Program([
                "demo", "--calls", "2", "--duration", "300ms", "--json", "--expect",
                "caller.video.received.framesDecoded<1", "--expect", "any(callee.video.received.framesDecoded)<1",
                "--expect", "median(caller.audio.received.kbitPerSecond)<1", "--expect",
                "calls.1.callee.statistics.0.bytesSent<1",
            ])
            #expect(try await demo.waitForExit() == 6)
            let document = try demo.document()
            let calls = try #require(document["calls"] as? [[String: Any]])
            let decoded = try calls.map { try $0.number("callee.video.received.framesDecoded") }.sorted()
            let rate = try document.number("summary.caller.audio.received.kbitPerSecond.median")
            let transport = try #require(try (calls[1].object("callee")["statistics"] as? [[String: Any]])?.first)
            let texts = [
                "caller.video.received.framesDecoded < 1, but it is "
                    + "\(try calls[0].number("caller.video.received.framesDecoded").brief) "
                    + "in call 1 (with bob, id \(try calls[0].text("caller.callId")))",
                "any(callee.video.received.framesDecoded) < 1, but it is \(decoded[0].brief) to \(decoded[1].brief) in 2 calls",
                "median(caller.audio.received.kbitPerSecond) < 1, but it is \(rate.brief)",
                "calls.1.callee.statistics.0.bytesSent < 1, but it is \(try transport.number("bytesSent").brief)",
            ]
            #expect(
                demo.errors.split(separator: "\n").map(String.init) == texts.map { "callagent: expected \($0)" } + [
                    "callagent: 4 of 4 expectations were not met"
                ])
        }

        @Test("Every expectation that is not met has a line, and a missing figure says why it is missing")
        func severalUnmet() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--start-video-off"])
            let alice = try trio.call([
                "--duration", "1s", "--expect", "video.received.lossPercent<1", "--expect", "summary.connected==1",
                "--expect", "any(audio.received.packetsReceived)<1", "--expect",
                "summary.video.received.jitterMs.max<9",
            ])
            #expect(try await alice.waitForExit() == 6)
            bob.signal(SIGINT)
            let lines = alice.errors.split(separator: "\n").map(String.init)
            try #require(lines.count == 4, "\(lines)")
            #expect(
                lines[0].contains(/but call 1 \(with bob, id .*\) has no such figure, because no video was received$/))
            #expect(
                lines[1].contains(
                    /expected any\(audio.received.packetsReceived\) < 1, but it is \d+ in the only call$/))
            #expect(lines[2].hasSuffix("but the summary has no such figure, because no call has it"))
            #expect(lines[3] == "callagent: 3 of 4 expectations were not met")
        }

        @Test(
            "An unknown figure is wrong usage before any call, with a suggestion",
            arguments: [
                ("call", "video.recieved.lossPercent<1", "did you mean 'video.received.lossPercent'?"),
                ("call", "max(summary.conected)==1", "did you mean 'summary.connected'?"),
                ("call", "summary.video.received.jitterMs<9", "did you mean 'summary.video.received.jitterMs."),
                ("listen", "frobnicate<1", "there is no figure 'frobnicate'; docs/cli.md lists the figures"),
                (
                    "demo", "video.received.lossPercent<1",
                    "a call has two ends: begin with caller. or callee., such as caller.video.received.lossPercent"
                ),
                ("demo", "callee.video.nothing==1", "there is no figure 'callee.video.nothing'"),
            ])
        func unknown(command: String, expectation: String, text: String) async throws {
            let user = command == "call" ? ["bob", "--as", "alice"] : command == "listen" ? ["--as", "bob"] : []
            // Nothing listens there: a command that got that far would end with 3.
            let server = command == "demo" ? [] : ["--signaling", "ws://127.0.0.1:1"]
            let program = try Program([command] + user + server + ["--expect", expectation])
            #expect(try await program.waitForExit() == 2)
            #expect(
                program.errors.hasPrefix("callagent: --expect: ") && program.errors.contains(text), "\(program.errors)")
        }

        @Test(
            "A figure of one call, and W3C's statistics, are taken",
            arguments: ["calls.0.video.received.lossPercent", "statistics.3.jitter", "calls.1.statistics.3.jitter"])
        func ofOneCall(path: String) {
            let names = path.split(separator: ".").map(String.init)
            #expect(Figures.complaint(about: names, in: .calls) == nil)
            #expect(Figures.complaint(about: names, in: .demo) != nil)
        }

        @Test(
            "An invalid expectation is wrong usage, and says what is wrong",
            arguments: [
                ("mean(a)==1", "'mean' in 'mean(a)' is none of all, any, min, median, p95, max"),
                ("a==", "'' in 'a==' is no number"), ("a<much", "'much' in 'a<much' is no number"),
                ("a..b==1", "'a..b' is no figure"), ("(a)<1", "'' in '(a)' is none of"),
                ("median(a<1", "'median(a' is no figure"),
                (
                    "video.received.lossPercent=1",
                    "--expect: 'video.received.lossPercent=1' has no comparison; write FIGURE, one of < <= > >= == !=, "
                        + "and a number, such as 'video.received.lossPercent<1'"
                ),
            ])
        func malformed(expectation: String, text: String) async throws {
            let demo = try Program(["demo", "--expect", expectation])
            #expect(try await demo.waitForExit() == 2)
            #expect(demo.errors.contains(text), "\(demo.errors)")
        }
    }
}
