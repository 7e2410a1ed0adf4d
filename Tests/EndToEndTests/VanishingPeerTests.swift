import Foundation
import Testing

extension EndToEnd {
    /// What an end notices when the other one is killed, frozen or stopped.
    @Suite struct VanishingPeerTests {
        @Test("Killing either process ends the other's call with remoteLost within 5 s", .namesCases)
        func kill() async { await together(["caller", "callee"]) { try await kill(caller: $0 == "caller") } }

        private func kill(caller: Bool) async throws {
            let trio = try await Trio()
            let (alice, bob) = try await trio.connected()
            let (victim, survivor) = caller ? (alice, bob) : (bob, alice)
            let killed = Date.now.timeIntervalSince1970 * 1_000
            victim.signal(SIGKILL)
            try await eventually("remoteLost") {
                survivor.hasEvent(["event": "stateChanged", "state": "ended", "reason": "remoteLost"])
            }
            let report = try await report(survivor)
            #expect(try report.number("startedUnixMs") + report.number("timelineMs.ended") - killed < 5_000)
            if !caller { #expect(try await alice.waitForExit() == 5, "accepted, but media lost") }
        }

        @Test(
            "A frozen peer makes the call reconnecting within 3 s, and connected when the peer continues",
            arguments: [true, false])
        func freeze(caller: Bool) async throws {
            let trio = try await Trio()
            let (alice, bob) = try await trio.connected()
            let (frozen, other) = caller ? (alice, bob) : (bob, alice)
            let stopped = Date.now.timeIntervalSince1970 * 1_000
            frozen.signal(SIGSTOP)
            try await eventually("reconnecting") {
                other.hasEvent(["event": "stateChanged", "state": "reconnecting"])
            }
            frozen.signal(SIGCONT)
            try await eventually("connected again", within: .seconds(10)) {
                other.hasEvent(["event": "stateChanged", "state": "connected", "reason": "resumed"])
            }
            #expect(!other.hasEvent(["event": "stateChanged", "state": "ended"]))
            // Signaling works too: a hang-up arrives.
            alice.signal(SIGINT)
            try await eventually("hung up") { bob.hasEvent(["event": "stateChanged", "reason": "remoteHangup"]) }
            let report = try await report(other)
            let started = try report.number("startedUnixMs")
            let silences = try #require(report["records"] as? [[String: Any]])
                .filter { $0["action"] as? String == "interrupted" }
                .map { try started + $0.number("ms") - stopped }
            #expect(silences.contains { (0..<3_000).contains($0) }, "\(silences)")
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

        @Test("SIGTERM ends the server within 2 s, and a call's video continues without it")
        func serverStops() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            let alice = try trio.call(["--events", "--duration", "10m", "--stats-interval", "200ms"])
            for program in [alice, bob] {
                try await eventually("connected") { program.hasEvent(["event": "stateChanged", "state": "connected"]) }
            }
            try await eventually("the first figures") { decoded(alice) > 0 }
            trio.server.signal(SIGTERM)
            #expect(try await trio.server.waitForExit(within: .seconds(4)) == 143)
            let before = decoded(alice)
            // Figures lag by 200 ms, so most of the following frames were decoded after the server's end.
            try await eventually("two seconds of frames after \(before)") { decoded(alice) > before + 60 }
            alice.signal(SIGINT)
            #expect(try await alice.waitForExit() == 130, "\(alice.errors)")
            #expect(try await report(alice).text("end.reason") == "localHangup")
        }

        /// The report of a program's call.
        ///
        /// Its times are by the program's clock, so delays of the test do not count.
        private func report(_ program: Program) async throws -> [String: Any] {
            try await eventually("the report") { program.hasEvent(["event": "report"]) }
            return try #require(program.events.last { $0["event"] as? String == "report" }).object("report")
        }

        /// The number of decoded frames in the program's last statistics.
        private func decoded(_ program: Program) -> Int {
            let latest = program.events.last { $0["event"] as? String == "statistics" }
            let entries = latest?["statistics"] as? [[String: Any]] ?? []
            return entries.compactMap { $0["framesDecoded"] as? Int }.max() ?? 0
        }
    }
}
