import Foundation
import Testing

extension EndToEnd {
    /// Programs that build their end of the next call ahead.
    @Suite struct JoinAheadTests {
        @Test("In two calls in a row both ends see and hear each other")
        func calls() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--join-ahead", "--audio", "tone:554"])
            let alice = try trio.call([
                "--join-ahead", "--repeat", "2", "--duration", "1s", "--json", "--expect", "summary.connected==2",
                "--expect", "video.received.distinctFrames>5", "--expect", "audio.received.toneHz>544",
                "--expect", "audio.received.toneHz<564",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)\n\(alice.output)")
            try await eventually("both are over") { bob.count(of: ["event": "report"]) == 2 }
            #expect(bob.errors.isEmpty && !bob.hasEvent(["event": "mediaWarning"]), "\(bob.errors)")
            bob.signal(SIGTERM)
            try await bob.waitForExit()
        }

        @Test("For a person, a call that was built ahead has a timeline from its beginning on")
        func timeline() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--join-ahead"])
            let alice = try trio.call(["--join-ahead", "--duration", "300ms"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)\n\(alice.output)")
            let line = try #require(alice.lines.first { $0.contains("first candidate") })
            #expect(line.contains(" 0.0 ms"), "\(line)")
            #expect(alice.output.contains("pass: 1 of 1 calls connected"), "\(alice.output)")
            bob.signal(SIGTERM)
            try await bob.waitForExit()
        }

        @Test("Recording together with --join-ahead is wrong usage")
        func record() async throws {
            let alice = try Program(["call", "bob", "--as", "alice", "--join-ahead", "--record", "a.mkv"])
            #expect(try await alice.waitForExit() == 2)
            #expect(alice.errors.contains("--join-ahead") && alice.errors.contains("--record"), "\(alice.errors)")
        }
    }
}
