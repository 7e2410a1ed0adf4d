import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// The figures of a call's report, and `--expect`.
    @Suite struct FigureTests {
        @Test("docs/cli.md lists exactly the figures that a call has and that --expect takes")
        func documented() async throws {
            let document = try await document(["--codec", "vp8"], count: 1)
            let call = try #require((document["calls"] as? [[String: Any]])?.first)
            let documented = try Self.documentedPaths()
            #expect(documented == Set(Figures.ofCall), "\(documented.symmetricDifference(Figures.ofCall))")
            #expect(Figures.ofCall.count == Set(Figures.ofCall).count)
            let always = Set(documented.filter { !$0.hasPrefix("timelineMs.") })
            for path in always { _ = try call.number(path) }
            // Not figures: answers yes or no.
            let present = call.filter { !["media", "offersCallAgain"].contains($0.key) }.flatMap {
                Self.numbers(in: $0.value, $0.key)
            }
            #expect(Set(present).subtracting(documented).isEmpty, "\(Set(present).subtracting(documented))")
            #expect(present.count > 40)

            let summary = Self.numbers(in: document["summary"], "summary").map {
                String($0.dropFirst("summary.".count))
            }
            #expect(Set(summary).subtracting(Figures.ofSummary(.calls)).isEmpty)
            let ofMedia = always.filter { path in ["video.", "audio.", "transport."].contains(where: path.hasPrefix) }
            #expect(Set(ofMedia.flatMap { path in Spread.names.map { "\(path).\($0)" } }).isSubset(of: summary))
        }

        @Test("The summary of the demo has the figures of both ends, and no others")
        func demoSummary() async throws {
            let demo = try Program(["demo", "--duration", "1s", "--json"])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            let paths = Self.numbers(in: try demo.document()["summary"], "").map { String($0.dropFirst()) }
            let unknown = Set(paths).subtracting(Figures.ofSummary(.demo))
            #expect(unknown.isEmpty, "\(unknown)")
            #expect(
                paths.contains("caller.video.received.framesDecoded.max")
                    && paths.contains("acceptToShownMs.callee.p95"))
        }

        @Test("The figures report the media that flowed")
        func values() async throws {
            for call in try await calls(["--video-size", "320x240@30"], count: 1) {
                #expect(try call.number("video.sent.frameWidth") == 320)
                #expect(try (5...3_000).contains(call.number("video.sent.kbitPerSecond")))
                #expect(try (5...3_000).contains(call.number("video.received.kbitPerSecond")))
                #expect(try (5...200).contains(call.number("audio.received.kbitPerSecond")))
                #expect(try call.number("audio.received.packetsReceived") > 50)
                for path in ["video.received.lossPercent", "audio.received.lossPercent", "transport.packetsLost"] {
                    #expect(try call.number(path) == 0)
                }
                #expect(try (0..<1_000).contains(call.number("transport.roundTripTimeMs")))
            }
        }

        @Test("A change of the size is counted at both ends")
        func sizeChange() async throws {
            let call = try await calls(["--at", "500ms=video-size=208x120"], count: 1)[0]
            #expect(try call.number("video.sent.frameSizeChanges") == 1)
            #expect(try call.number("video.received.frameSizeChanges") == 0)
        }

        @Test("Expectations of all calls, of any call and of their median hold, and the summary has their spread")
        func met() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call([
                "--json", "--repeat", "3", "--duration", "1s", "--expect", "video.received.framesDecoded>5",
                "--expect", "any(audio.received.kbitPerSecond)>5", "--expect", "median(video.received.lossPercent)==0",
                "--expect", "p95(timelineMs.firstVideoFrame)<10000", "--expect",
                "summary.video.received.jitterMs.max<500",
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
        }

        @Test(
            "A failed expectation names the call and its number",
            arguments: [
                ("caller.video.received.framesDecoded<1", "in call 1 (with bob, id "),
                ("any(callee.video.received.framesDecoded)<1", "in 2 calls"),
                (
                    "median(caller.audio.received.kbitPerSecond)<1",
                    "expected median(caller.audio.received.kbitPerSecond) < 1"
                ),
            ])
        func unmet(expectation: String, text: String) async throws {
            let demo = try Program(["demo", "--calls", "2", "--duration", "300ms", "--expect", expectation])
            #expect(try await demo.waitForExit() == 6)
            #expect(demo.errors.contains(text), "\(demo.errors)")
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
                    /expected any\(audio.received.packetsReceived\) < 1.0, but it is \d+.0 in the only call$/))
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

        private func document(_ arguments: [String], count: Int) async throws -> [String: Any] {
            let trio = try await Trio()
            // Frames with marks have all figures.
            let bob = try await trio.listen(["--video", "clock"])
            let alice = try trio.call(["--json", "--repeat", "\(count)", "--duration", "3s"] + arguments)
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            bob.signal(SIGINT)
            return try alice.document()
        }

        private func calls(_ arguments: [String], count: Int) async throws -> [[String: Any]] {
            try #require(try await document(arguments, count: count)["calls"] as? [[String: Any]])
        }

        /// The paths in the table of figures.
        private static func documentedPaths() throws -> Set<String> {
            let text = try String(contentsOfFile: "docs/cli.md", encoding: .utf8)
            let section = text.components(separatedBy: "| path in a call |")[1].components(separatedBy: "\n\n")[0]
            let rows = section.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
            return Set(
                rows.flatMap { row in
                    let cells = row.components(separatedBy: " | ").map { cell in
                        cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
                    }
                    // The stages are in the second cell.
                    return cells[0] == ["timelineMs.STAGE"] ? cells[1].map { "timelineMs.\($0)" } : cells[0]
                })
        }

        /// The paths of all numbers below `value`.
        private static func numbers(in value: Any?, _ path: String) -> [String] {
            if let object = value as? [String: Any] {
                return object.flatMap { numbers(in: $0.value, "\(path).\($0.key)") }
            }
            return value is NSNumber ? [path] : []
        }
    }
}
