import Foundation
import Testing

extension EndToEnd {
    /// What an end notices when the other one dies, freezes or is told to stop.
    @Suite struct VanishingPeerTests {
        @Test("Killing either process ends the other's call with remoteLost within 5 s", arguments: [true, false])
        func kill(caller: Bool) async throws {
            let trio = try await Trio()
            let (alice, bob) = try await trio.connected()
            let (victim, survivor) = caller ? (alice, bob) : (bob, alice)
            victim.signal(SIGKILL)
            try await eventually("remoteLost", within: .seconds(5)) {
                survivor.hasEvent(["event": "stateChanged", "state": "ended", "reason": "remoteLost"])
            }
            if !caller { #expect(try await alice.waitForExit() == 5, "accepted, but media lost") }
        }

        @Test(
            "A frozen peer shows as reconnecting within 3 s, and the call is back when it goes on",
            arguments: [true, false])
        func freeze(caller: Bool) async throws {
            let trio = try await Trio()
            let (alice, bob) = try await trio.connected()
            let (frozen, other) = caller ? (alice, bob) : (bob, alice)
            frozen.signal(SIGSTOP)
            try await eventually("reconnecting", within: .seconds(3)) {
                other.hasEvent(["event": "stateChanged", "state": "reconnecting"])
            }
            frozen.signal(SIGCONT)
            try await eventually("connected again", within: .seconds(10)) {
                other.hasEvent(["event": "stateChanged", "state": "connected", "reason": "resumed"])
            }
            #expect(!other.hasEvent(["event": "stateChanged", "state": "ended"]))
            // Signaling works, too: a hang-up arrives.
            alice.signal(SIGINT)
            try await eventually("hung up") { bob.hasEvent(["event": "stateChanged", "reason": "remoteHangup"]) }
        }

        @Test(
            "SIGINT and SIGTERM hang up and end the program within 2 s",
            arguments: [SIGINT, SIGTERM], [true, false])
        func interrupt(signal: Int32, caller: Bool) async throws {
            let trio = try await Trio()
            let (alice, bob) = try await trio.connected()
            let (stopped, other) = caller ? (alice, bob) : (bob, alice)
            let start = ContinuousClock.now
            stopped.signal(signal)
            #expect(try await stopped.waitForExit(within: .seconds(10)) == 128 + signal)
            #expect(try #require(stopped.exitedAt) - start < .seconds(2))
            try await eventually("the other end hears of it") {
                other.hasEvent(["event": "stateChanged", "state": "ended", "reason": "remoteHangup"])
            }
        }

        @Test("SIGTERM ends the server within 2 s, and the pictures of a call keep coming without it")
        func serverStops() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call(["--json", "--duration", "4s"])
            try await eventually("connected") { bob.hasEvent(["event": "stateChanged", "state": "connected"]) }
            trio.server.signal(SIGTERM)
            #expect(try await trio.server.waitForExit(within: .seconds(4)) == 143)
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            let call = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
            #expect(try call.number("video.received.frames") > 0.9 * 4 * 30)
            #expect(try call.text("end.reason") == "localHangup")
        }
    }
}
