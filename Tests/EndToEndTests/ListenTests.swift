import Foundation
import Testing

extension EndToEnd {
    /// The output of a listener besides its calls.
    @Suite struct ListenTests {
        @Test(
            "A lost and a restored signaling server are reported; then calls arrive again",
            arguments: [true, false])
        func serverRestarts(events: Bool) async throws {
            var trio = try await Trio()
            let bob = try Program(
                ["listen", "--as", "bob", "--signaling", trio.url, "--ice-interface", "127.0.0.1"]
                    + (events ? ["--events"] : []))
            try await eventually("bob listens") { bob.output.contains("listening") }
            trio.server.signal(SIGKILL)
            try await eventually("lost") {
                events
                    ? bob.hasEvent(["event": "signalingLost", "user": "bob"])
                    : bob.output.contains("signaling was lost: ")
            }
            try await trio.restartServer()
            try await eventually("back") {
                events ? bob.hasEvent(["event": "signalingRestored"]) : bob.output.contains("signaling is back\n")
            }
            let alice = try trio.call(["--duration", "200ms"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
        }

        @Test("A listener prints a line for each call, and with --once the timeline", arguments: [false, true])
        func lines(once: Bool) async throws {
            let trio = try await Trio()
            let bob = try Program(["listen", "--as", "bob"] + (once ? ["--once"] : []) + trio.common)
            try await eventually("bob listens") { bob.output.contains("listening") }
            let alice = try trio.call(["--duration", "500ms"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            try await eventually("the end: \(bob.output)") { bob.output.contains("remoteHangup (9900) by alice") }
            let line = /alice: 0.\d s ended, remoteHangup \(9900\) by alice; first frame after \d+ ms/
            #expect(bob.lines.contains { $0.wholeMatch(of: line) != nil } == !once, "\(bob.output)")
            #expect(bob.output.contains("callee bob\n") == once)
        }

        @Test("A caller beyond the limit gets busy, and the listener reports it; calls within the limit continue")
        func limit() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--max-calls", "2"])
            let callers = try ["alice", "carol"].map { name in
                try Program(["call", "bob", "--as", name, "--events", "--duration", "10m"] + trio.common)
            }
            for caller in callers {
                try await eventually("connected") { caller.hasEvent(["event": "stateChanged", "state": "connected"]) }
            }
            let dave = try Program(["call", "bob", "--as", "dave"] + trio.common)
            #expect(try await dave.waitForExit() == 4)
            #expect(dave.errors.contains("remoteBusy (486)"))
            try await eventually("told") { bob.hasEvent(["event": "refusedAsBusy", "peer": "dave", "user": "bob"]) }
            for caller in callers {
                caller.signal(SIGINT)
                #expect(try await caller.waitForExit() == 130)
            }
            try await eventually("both ended") { bob.count(of: ["event": "report"]) == 2 }
        }
    }
}
