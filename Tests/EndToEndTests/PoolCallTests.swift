import Foundation
import TestServers
import Testing

@testable import CallAgent

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
                    + ["--signaling", url, "--audio", "tone:440", "--video-size", "320x180"] + options
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

        /// A call to a pool that lasts until the test ends it, however long programs take to start meanwhile.
        private struct HeldCall {
            private let caller: Station
            private let call: FollowedCall

            /// Returns when it is connected.
            init(to pool: Pool, as user: String) async throws {
                caller = try await Station(user, at: pool.url).prepared()
                call = FollowedCall(try await caller.agent.call("support"))
                try await call.reaches(.connected)
            }

            /// Waits until new video and audio of a member arrive.
            func expectMedia() async throws {
                try await call.seesAndHears(Mark(user: "support", width: 320, hertz: 440))
            }

            /// Hangs up; nobody else has ended the call before.
            func end() async throws {
                await call.call.hangUp()
                try await call.ends(.localHangup)
                await caller.agent.close()
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
            var held: [HeldCall] = []
            for number in 0..<3 { held.append(try await HeldCall(to: pool, as: "bob-\(number)")) }
            try await eventually("each has one: \(rings(pool))") { rings(pool) == [1, 1, 1] }
            let late = try pool.call([])
            #expect(try await late.waitForExit() == 4, "\(late.errors)")
            let report = try #require(late.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(try report.text("end.reason") == "remoteBusy")
            for call in held { try await call.expectMedia() }
            for call in held { try await call.end() }
            #expect(rings(pool) == [1, 1, 1])
            // They are free again.
            let next = try pool.call(["--duration", "1s"])
            #expect(try await next.waitForExit() == 0, "\(next.errors)")
        }

        @Test("SIGTERM: a member takes no more calls, and ends when the one that it has is over")
        func drained() async throws {
            let pool = try await Pool(2, at: .distributes, ["--max-calls", "5"])
            let held = try await HeldCall(to: pool, as: "bob")
            try await eventually("one has it: \(rings(pool))") { rings(pool).sorted() == [0, 1] }
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
            try await held.expectMedia()
            try await held.end()
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
