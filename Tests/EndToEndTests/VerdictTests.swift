import CallAgent
import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// What a command says about its calls as a whole.
    @Suite struct VerdictTests {
        @Test("The text ends with the verdict", arguments: [(1, 0, "pass", 2), (2, 6, "fail", 1)])
        func text(calls: Int, status: Int32, word: String, met: Int) async throws {
            let demo = try Program([
                "demo", "--duration", "300ms", "--expect", "summary.connected==\(calls)", "--expect",
                "summary.calls==1",
            ])
            #expect(try await demo.waitForExit() == status, "\(demo.errors)")
            #expect(
                demo.output.contains(/sent 640x360 VP8, \d+ frames; received 480x270 VP8, \d+ frames/), "\(demo.output)"
            )
            #expect(demo.lines.last == "\(word): 1 of 1 calls connected, \(met) of 2 expectations met")
        }

        @Test("A call that nobody answers fails, and so do its expectations")
        func unanswered() async throws {
            let trio = try await Trio()
            let alice = try trio.call(["--expect", "summary.connected==1"], to: "nobody")
            #expect(try await alice.waitForExit() == 4)
            #expect(alice.lines.last == "fail: 0 of 1 calls connected, 0 of 1 expectations met")
            let lines = alice.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].contains("but it is 0") && lines[1].contains("unknownUser"))
        }

        @Test("The JSON document has the verdict, with the number that decided")
        func document() async throws {
            let demo = try Program([
                "demo", "--duration", "300ms", "--json", "--expect", "summary.connected==2", "--expect",
                "caller.connectedMs>1",
            ])
            #expect(try await demo.waitForExit() == 6)
            let verdict = try demo.document().object("verdict")
            #expect(try verdict.number("exitCode") == 6)
            let expectations = try #require(verdict["expectations"] as? [[String: Any]])
            #expect(expectations.map { $0["met"] as? Bool } == [false, true])
            #expect(try expectations[0].text("expectation") == "summary.connected == 2")
            #expect(try expectations[0].number("actual") == 1 && expectations[1].number("actual") > 200)
        }

        @Test("A signal's exit code is in the document, too")
        func interrupted() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call(["--json", "--duration", "10m"])
            try await eventually("connected") { bob.hasEvent(["event": "stateChanged", "state": "connected"]) }
            alice.signal(SIGTERM)
            #expect(try await alice.waitForExit() == 143)
            #expect(try alice.document().number("verdict.exitCode") == 143)
        }

        @Test("A peer that sends nothing causes a warning, and with --require-media a failure")
        func nothingReceived() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--video", "none", "--audio", "none"])
            let alice = try trio.call(["--duration", "1s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(alice.errors.hasPrefix("callagent: warning: bob sent no video and no audio; "), "\(alice.errors)")
            #expect(alice.output.contains("bob's device 'main' rings"))
            #expect(alice.output.contains("received no video") && alice.output.contains("received no audio"))
            let strict = try trio.call(["--duration", "1s", "--require-media"])
            #expect(try await strict.waitForExit() == 5)
            #expect(
                strict.lines.last?.hasPrefix("fail: 1 of 1 calls connected; bob sent no video and no audio") == true)
            #expect(
                strict.errors.hasPrefix("callagent: bob sent no video and no audio; --require-media"),
                "\(strict.errors)")
            bob.signal(SIGINT)
        }

        @Test(
            "--require-media wants every kind that the call had",
            arguments: [(["--audio-only"], 0), ([], 5)] as [([String], Int32)])
        func oneKind(options: [String], status: Int32) async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--start-video-off"])
            let alice = try trio.call(["--duration", "1s", "--require-media"] + options)
            #expect(try await alice.waitForExit() == status, "\(alice.errors)")
            #expect(alice.errors.isEmpty == (status == 0))
            #expect(!alice.errors.contains("warning"))
            bob.signal(SIGINT)
        }

        @Test("docs/cli.md has every end reason with its number and exit code")
        func endReasons() throws {
            let text = try String(contentsOfFile: "docs/cli.md", encoding: .utf8)
            let section = text.components(separatedBy: "## End reasons")[1].components(separatedBy: "\n## ")[0]
            var found: [String: (number: Int?, status: Int32?)] = [:]
            for row in section.components(separatedBy: "\n") where row.hasPrefix("| `") {
                let cells = row.components(separatedBy: " | ")
                let numbers = cells[1].components(separatedBy: ", ").map { Int($0) }
                for (index, match) in cells[0].matches(of: /`(\w+)`/).enumerated() {
                    found[String(match.output.1)] = (numbers[min(index, numbers.count - 1)], Int32(cells[2]))
                }
            }
            #expect(found.count == EndReason.allCases.count)
            for reason in EndReason.allCases {
                let end = CallEnd(reason: reason, code: reason.code, text: "", by: .local)
                #expect(found[reason.rawValue]?.number == reason.code, "\(reason)")
                #expect(found[reason.rawValue]?.status == Failure(end)?.status.rawValue ?? 0, "\(reason)")
            }
        }
    }
}
