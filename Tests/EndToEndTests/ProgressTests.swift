import Foundation
import Testing

extension EndToEnd {
    /// What a person sees while calls run.
    @Suite struct ProgressTests {
        @Test("Several calls print a line for each call and a table of their figures")
        func lines() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call(["--repeat", "2", "--duration", "1s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            bob.signal(SIGINT)
            let lines = alice.lines.map(String.init)
            #expect(lines.count { $0.hasPrefix("call ") } == 2)
            #expect(lines.contains { $0.wholeMatch(of: /call 2 of 2 to bob: first frame after \d+ ms/) != nil })
            let head = try #require(lines.firstIndex { $0.hasPrefix("2 of 2 connected") })
            #expect(lines[head].hasSuffix("min    median       p95       max"))
            for title in ["first frame, ms", "video received, kbit/s", "audio jitter, ms", "round trip, ms"] {
                #expect(lines[head...].contains { $0.hasPrefix(title) }, "\(title)")
            }
            #expect(!alice.output.contains("\u{1B}") && alice.errors.isEmpty)
        }

        @Test("The demo prints a line for each of several calls, too, and no timelines")
        func demo() async throws {
            let demo = try Program(["demo", "--calls", "2", "--duration", "300ms"])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            #expect(demo.lines.count { $0.wholeMatch(of: /call \d of 2 to bob: first frame after \d+ ms/) != nil } == 2)
            #expect(demo.output.contains("callee: video delay, ms") && !demo.output.contains("caller alice"))
            #expect(demo.lines.last == "pass: 2 of 2 calls connected")
        }

        @Test("A call that fails says why in its line")
        func failed() async throws {
            let trio = try await Trio()
            let alice = try trio.call(["--repeat", "2"], to: "nobody")
            #expect(try await alice.waitForExit() == 4)
            #expect(alice.lines.count { $0.contains(" of 2 to nobody: ") && $0.contains("unknownUser (404)") } == 2)
        }

        @Test("On a terminal a line shows how many calls are done, and what the present call receives")
        func terminal() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let command =
                ([Program.path, "call", "bob", "--as", "alice", "--repeat", "2", "--duration", "2s"] + trio.common)
                .joined(separator: " ")
            // Gives it a terminal.
            let alice = try Program(
                ["-qec", "stty cols 200; \(command)", "/dev/null"], path: "/usr/bin/script",
                environment: ["TERM": "xterm"])
            #expect(try await alice.waitForExit() == 0, "\(alice.output)")
            bob.signal(SIGINT)
            let updates = alice.output.components(separatedBy: "\r\u{1B}[K")
            #expect(updates.contains { $0.contains(/1 of 2, 0 failed, first frame \d+ ms  \|  bob: connected/) })
            #expect(
                updates.contains {
                    $0.contains(/bob: connected \d s, in \d+ kbit\/s \d+ fps 0.0 % lost, out \d+ kbit\/s \d+ fps/)
                },
                "\(updates.suffix(9))")
            #expect(alice.output.contains("2 of 2 connected"))
            let table = try #require(alice.output.components(separatedBy: "2 of 2 connected").last)
            #expect(!table.contains("bob:"))
        }

        @Test("Every line of --events has the time")
        func times() async throws {
            let trio = try await Trio()
            let before = Date().timeIntervalSince1970 * 1_000
            let alice = try trio.call(["--events"], to: "nobody")
            #expect(try await alice.waitForExit() == 4)
            let times = alice.events.compactMap { $0["unixMs"] as? Double }
            #expect(times.count == alice.events.count && times == times.sorted() && !times.isEmpty)
            #expect(times.allSatisfy { (before - 1...before + 60_000).contains($0) })
        }
    }
}
