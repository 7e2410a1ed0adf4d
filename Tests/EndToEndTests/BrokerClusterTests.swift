import Foundation
import TestServers
import Testing

@testable import CallAgent

extension EndToEnd {
    /// A broker of three nodes, one of which is killed.
    @Suite(.enabled(if: NATSCluster.isInstalled, "nats-server is not installed")) struct BrokerClusterTests {
        /// Who is signed in at the node that is killed.
        enum Victims: CaseIterable, Sendable { case caller, callee, both }

        @Test("A call with media survives the death of a node, and later messages arrive", arguments: Victims.allCases)
        func connected(victims: Victims) async throws {
            let (cluster, alice, bob) = try await ends(victims)
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, alice), (theirs, bob))
            try await die(cluster, victims, alice, bob)
            try await mine.call.send(info: "are you there?")
            try await theirs.hears(.info("are you there?"))
            try await expectMedia((mine, alice), (theirs, bob))
            for call in [mine, theirs] { #expect(!call.states.contains(.reconnecting), "\(call.states)") }
            await mine.call.hangUp()
            try await theirs.ends(.remoteHangup)
            for station in [alice, bob] { await station.agent.close() }
        }

        @Test("A call that rings while a node dies can be accepted", arguments: Victims.allCases)
        func ringing(victims: Victims) async throws {
            let (cluster, alice, bob) = try await ends(victims)
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await mine.reaches(.ringing)
            try await die(cluster, victims, alice, bob)
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, alice), (theirs, bob))
            await theirs.call.hangUp()
            try await mine.ends(.remoteHangup)
            for station in [alice, bob] { await station.agent.close() }
        }

        @Test("A call that is placed while a node dies ends or rings at both ends", arguments: Victims.allCases)
        func calling(victims: Victims) async throws {
            let (cluster, alice, bob) = try await ends(victims) { $0.timeouts.ringMs = 15_000 }
            let mine = try await alice.call(bob)
            cluster.kill(0)
            try await eventually("the call rings or ends", within: .seconds(30)) {
                let state = await mine.call.state
                return state == .ringing || state == .ended
            }
            if let theirs = bob.incoming.first, await mine.call.state == .ringing {
                try await theirs.call.accept()
                for call in [mine, theirs] { try await call.reaches(.connected) }
                try await expectMedia((mine, alice), (theirs, bob))
                await mine.call.hangUp()
            }
            try await eventually("nothing rings", within: .seconds(40)) {
                for call in [mine] + bob.incoming where await call.call.state != .ended { return false }
                return true
            }
            for station in [alice, bob] { await station.agent.close() }
        }

        /// Alice and bob, of whom the victims are at node 0.
        private func ends(
            _ victims: Victims, _ configure: (inout AgentConfiguration) -> Void = { _ in }
        ) async throws -> (NATSCluster, Station, Station) {
            let cluster = try await NATSCluster()
            let alice = try await Station(
                "alice", at: cluster.url(first: victims == .callee ? 1 : 0), hertz: 440, configure: configure)
            let bob = try await Station(
                "bob", at: cluster.url(first: victims == .caller ? 1 : 0), width: 240, hertz: 554, configure: configure)
            // The nodes need a while to become one broker.
            for station in [alice, bob] {
                try await eventually("\(station.user) signs in", within: .seconds(60)) {
                    (try? await station.agent.prepare()) != nil
                }
            }
            return (cluster, alice, bob)
        }

        /// Kills node 0, and waits until its clients are at another one.
        private func die(_ cluster: NATSCluster, _ victims: Victims, _ alice: Station, _ bob: Station) async throws {
            cluster.kill(0)
            for station in victims == .caller ? [alice] : victims == .callee ? [bob] : [alice, bob] {
                try await eventually("\(station.user) is signed in again", within: .seconds(60)) {
                    station.events.all.contains(.signalingRestored)
                }
            }
        }
    }
}
