import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// The programs of a pool share the calls of one user.
    @Suite struct PoolCallTests {
        enum BrokerKind: CaseIterable { case distributes, old }

        /// Agents of one pool at a broker of their own.
        private struct Pool {
            let url: String
            let members: [Program]
            private let broker: any Sendable

            init(_ size: Int, at kind: BrokerKind, _ options: [String] = []) async throws {
                switch kind {
                case .distributes:
                    let broker = try await MQTTBroker()
                    (url, self.broker) = (broker.url, broker)
                case .old:
                    let broker = try await OldMQTTBroker()
                    (url, self.broker) = (broker.url, broker)
                }
                let arguments =
                    ["listen", "--as", "support", "--pool", "--events", "--ice-interface", "127.0.0.1"]
                    + ["--signaling", url, "--audio", "tone:440"] + options
                members = try (0..<size).map { _ in try Program(arguments) }
                for member in members {
                    try await eventually("it listens: \(member.errors)") { member.hasEvent(["event": "listening"]) }
                }
            }

            func call(_ options: [String]) throws -> Program {
                try Program(
                    ["call", "support", "--as", "alice-\(Int.random(in: 0..<1_000_000))", "--events"]
                        + ["--signaling", url, "--ice-interface", "127.0.0.1"] + options)
            }
        }

        /// What the caller must have seen and heard of a member.
        private let media = [
            "--expect", "video.received.distinctFrames>=20", "--expect", "audio.received.toneHz>430",
            "--expect", "audio.received.toneHz<450",
        ]

        /// How many calls have rung at each member.
        private func rings(_ pool: Pool) -> [Int] {
            pool.members.map { member in
                member.events.count { $0["event"] as? String == "stateChanged" && $0["state"] as? String == "ringing" }
            }
        }

        @Test(
            "Each call rings at one free member, and a caller gets 'busy' when there is none",
            arguments: BrokerKind.allCases)
        func shared(kind: BrokerKind) async throws {
            let pool = try await Pool(3, at: kind)
            var callers: [Program] = []
            for _ in 0..<3 {
                let caller = try pool.call(["--duration", "8s"] + media)
                try await eventually("it is connected: \(caller.errors)") {
                    caller.hasEvent(["event": "stateChanged", "state": "connected"])
                }
                callers.append(caller)
            }
            #expect(rings(pool) == [1, 1, 1])
            let late = try pool.call([])
            #expect(try await late.waitForExit() == 4, "\(late.errors)")
            let report = try #require(late.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(try report.text("end.reason") == "remoteBusy")
            for caller in callers { #expect(try await caller.waitForExit() == 0, "\(caller.errors)") }
            #expect(rings(pool) == [1, 1, 1])
            // They are free again.
            let next = try pool.call(["--duration", "1s"])
            #expect(try await next.waitForExit() == 0, "\(next.errors)")
        }

        @Test("SIGTERM: a member takes no more calls, and ends when the one that it has is over")
        func drained() async throws {
            let pool = try await Pool(2, at: .distributes, ["--max-calls", "5"])
            let caller = try pool.call(["--duration", "6s"] + media)
            try await eventually("it is connected: \(caller.errors)") {
                caller.hasEvent(["event": "stateChanged", "state": "connected"])
            }
            let busy = try #require(rings(pool).firstIndex(of: 1))
            let (leaving, other) = (pool.members[busy], pool.members[1 - busy])
            leaving.signal(SIGTERM)
            try await eventually("it says so") { leaving.hasEvent(["event": "draining"]) }
            for _ in 0..<4 {
                let next = try pool.call(["--duration", "500ms"])
                #expect(try await next.waitForExit() == 0, "\(next.errors)")
            }
            #expect(rings(pool)[busy] == 1 && rings(pool)[1 - busy] == 4)
            #expect(leaving.exitStatus == nil)
            #expect(try await caller.waitForExit() == 0, "\(caller.errors)")
            #expect(try await leaving.waitForExit() == 0, "\(leaving.errors)")
            // The second one does not wait.
            let last = try pool.call(["--duration", "60s"])
            try await eventually("it is connected: \(last.errors)") {
                last.hasEvent(["event": "stateChanged", "state": "connected"])
            }
            other.signal(SIGTERM)
            try await eventually("it says so") { other.hasEvent(["event": "draining"]) }
            other.signal(SIGTERM)
            #expect(try await other.waitForExit() == 143, "\(other.errors)")
            #expect(try await last.waitForExit() == 0, "\(last.errors)")
        }

        @Test(
            "A member that hangs costs a caller a moment: the repeated invite reaches another one",
            arguments: BrokerKind.allCases)
        func hanging(kind: BrokerKind) async throws {
            let pool = try await Pool(2, at: kind, ["--max-calls", "5"])
            pool.members[0].signal(SIGSTOP)
            for _ in 0..<3 {
                let caller = try pool.call(["--duration", "2s"] + media)
                #expect(try await caller.waitForExit() == 0, "\(caller.errors)")
            }
            #expect(rings(pool) == [0, 3])
            pool.members[0].signal(SIGKILL)
        }

        @Test("A pool needs a broker")
        func refused() async throws {
            for options in [["--signaling", "ws://127.0.0.1:1"], ["--http-listen", "127.0.0.1:0"]] {
                let program = try Program(["listen", "--as", "support", "--pool"] + options)
                #expect(try await program.waitForExit() == 2)
                #expect(program.errors.contains("--pool needs an MQTT broker"), "\(program.errors)")
            }
            // It would never answer, so it could not be drained.
            let program = try Program(
                ["listen", "--as", "support", "--pool", "--once", "--busy", "--signaling", "mqtt://127.0.0.1:1"])
            #expect(try await program.waitForExit() == 2)
            #expect(program.errors.contains("--pool with --once"), "\(program.errors)")
        }
    }
}
