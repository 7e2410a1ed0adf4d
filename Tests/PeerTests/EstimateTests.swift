import Foundation
import TestServers
import Testing

extension Peers {
    /// aiortc knows no reports on packets; it gets an estimate of what the path takes (REMB).
    @Suite(.enabled(if: NetworkLab.isPossible, "network namespaces need root, iproute2 and nftables"))
    struct EstimateTests {
        @Test(
            "aiortc sends less when the path gets narrow, and more again later, whoever calls",
            arguments: [true, false])
        func narrow(agentCalls: Bool) async throws {
            let lab = try NetworkLab(hasNAT: false)
            let server = try await CallServer(listen: "\(NetworkLab.server):8080", prefix: lab.prefix(at: .internet))
            func agent(_ words: [String]) throws -> Program {
                let options = ["--as", "bob", "--signaling", server.url, "--events", "--stats-interval", "500ms"]
                let command = lab.command(at: .bob, Program.path, words + options + ["--audio", "tone:440"])
                return try Program(command.arguments, path: command.path)
            }
            let listener = agentCalls ? nil : try agent(["listen", "--allow", "dave"])
            if let listener {
                try await eventually("bob listens: \(listener.errors)") { listener.hasEvent(["event": "listening"]) }
            }
            let dave = try Program.aiortc(
                "aiortc_peer.py",
                [server.url, "dave"] + (agentCalls ? [] : ["bob"]) + ["--busy", "--address", "10.77.1.2"],
                prefix: lab.prefix(at: .alice))
            try await eventually("dave is signed in") { dave.hasEvent(["event": "signedIn"]) }
            let bob = try listener ?? agent(["call", "dave", "--duration", "10m"])
            // aiortc begins with 0.5 Mbit/s, and sends 1.5 at most.
            try await eventually("all video: \(bob.errors)", within: .seconds(30)) { received(bob) > 1_100 }
            try lab.narrow(toKbit: 500)
            try await eventually("less video", within: .seconds(30)) {
                (250_000...550_000).contains(estimate(bob)) && received(bob) < 550
            }
            try await expectMotion(bob)
            try lab.narrow(toKbit: nil)
            try await eventually("all video again", within: .seconds(60)) { received(bob) > 1_100 }
            try await expectMotion(bob)
            bob.signal(SIGINT)
            let report = try await bob.report()
            #expect(report.hears(660))
            #expect(report.number("transport.availableIncomingBitrate") ?? 0 > 500_000)
        }

        /// What arrives of the video, in kbit/s.
        private func received(_ end: Program) -> Double {
            let interval = end.events.last { $0["interval"] != nil }?["interval"] as? [String: Any]
            let inbound = interval?["inbound"] as? [[String: Any]]
            return inbound?.first { $0["kind"] as? String == "video" }?["kbitPerSecond"] as? Double ?? 0
        }

        /// What the agent says that the path takes, in bit/s.
        private func estimate(_ end: Program) -> Double {
            statistics(end).compactMap { $0["availableIncomingBitrate"] as? Double }.first ?? 0
        }

        private func decoded(_ end: Program) -> Int {
            statistics(end).compactMap { $0["framesDecoded"] as? Int }.first ?? 0
        }

        /// The latest ones.
        private func statistics(_ end: Program) -> [[String: Any]] {
            end.events.last { $0["statistics"] != nil }?["statistics"] as? [[String: Any]] ?? []
        }

        private func expectMotion(_ end: Program) async throws {
            let before = decoded(end)
            try await eventually("motion", within: .seconds(20)) { decoded(end) > before + 30 }
        }
    }
}
