import Foundation
import TestServers
import Testing

@testable import CallAgent

extension EndToEnd {
    /// The programs of a pool share the calls of one user.
    @Suite struct PoolCallTests {
        enum BrokerKind: CaseIterable { case distributes, old }

        /// A pool at a broker of its own.
        private func pool(_ size: Int, at kind: BrokerKind, _ options: [String] = []) async throws -> Pool {
            switch kind {
            case .distributes:
                let broker = try await MQTTBroker()
                return try await Pool(Array(repeating: broker.url, count: size), options, keeping: broker)
            case .old:
                let broker = try await OldMQTTBroker()
                return try await Pool(Array(repeating: broker.url, count: size), options, keeping: broker)
            }
        }

        @Test(
            "Each call rings at one free member, and a caller gets 'busy' when there is none",
            arguments: BrokerKind.allCases)
        func shared(kind: BrokerKind) async throws {
            let pool = try await pool(3, at: kind)
            var held: [PoolCall] = []
            for number in 0..<3 { held.append(try await pool.hold(as: "bob-\(number)")) }
            try await eventually("each has one: \(pool.rings)") { pool.rings == [1, 1, 1] }
            let late = try pool.call([])
            #expect(try await late.waitForExit() == 4, "\(late.errors)")
            let report = try #require(late.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(try report.text("end.reason") == "remoteBusy")
            for call in held { try await call.expectMedia() }
            for call in held { try await call.end() }
            #expect(pool.rings == [1, 1, 1])
            // They are free again.
            let next = try pool.call(["--duration", "1s"])
            #expect(try await next.waitForExit() == 0, "\(next.errors)")
        }

        @Test("SIGTERM: a member takes no more calls, and ends when the one that it has is over")
        func drained() async throws {
            let pool = try await pool(2, at: .distributes, ["--max-calls", "5"])
            let held = try await pool.hold(as: "bob")
            try await eventually("one has it: \(pool.rings)") { pool.rings.sorted() == [0, 1] }
            let busy = try #require(pool.rings.firstIndex(of: 1))
            let (leaving, other) = (pool.members[busy], pool.members[1 - busy])
            leaving.signal(SIGTERM)
            try await eventually("it says so") { leaving.hasEvent(["event": "draining"]) }
            for _ in 0..<4 {
                let next = try pool.call(["--duration", "500ms"])
                #expect(try await next.waitForExit() == 0, "\(next.errors)")
            }
            #expect(pool.rings[busy] == 1 && pool.rings[1 - busy] == 4)
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

        @Test("A member that hangs costs a caller a moment: the repeated invite reaches another one", .namesCases)
        func hanging() async { await together(BrokerKind.allCases) { try await hanging(kind: $0) } }

        private func hanging(kind: BrokerKind) async throws {
            let pool = try await pool(2, at: kind, ["--max-calls", "5"])
            pool.members[0].signal(SIGSTOP)
            for _ in 0..<3 {
                let caller = try pool.call(["--duration", "2s"] + Pool.media)
                #expect(try await caller.waitForExit() == 0, "\(caller.errors)")
            }
            #expect(pool.rings == [0, 3])
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
