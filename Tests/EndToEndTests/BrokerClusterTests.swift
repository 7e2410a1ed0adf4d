import Foundation
import SignalingServer
import TestServers
import Testing

@testable import CallAgent

extension EndToEnd {
    /// Agents at different nodes of a cluster that is one broker, with access rules and tokens: what becomes of their calls when a node is killed.
    @Suite struct BrokerClusterTests {
        enum Victim: CaseIterable { case caller, callee, both }
        enum Moment: CaseIterable { case calling, ringing, connected }

        @Test("Calls survive their nodes; a program that is killed is gone, also at another node")
        func nodes() async throws {
            let cluster = try await EjabberdCluster(3)
            let key = try await TokenKey.read(file: cluster.key.path)
            for victim in Victim.allCases {
                for moment in Moment.allCases {
                    // The callee is at the caller's node, or at another one.
                    let (mine, theirs) = (0, victim == .both ? 0 : 1)
                    let killed = victim == .callee ? theirs : mine
                    try await survive(victim, moment, cluster, key, at: (mine, theirs)) { cluster.kill(killed) }
                    try await cluster.start(killed)
                }
            }
            try await killedProgram(cluster, key)
            // Its own name is the only one that a token is for.
            let mallory = try await station("mallory", cluster, key, node: 2, token: "alice")
            await #expect(throws: CallError.self) { try await mallory.agent.prepare() }
            await mallory.agent.close()
        }

        private func station(
            _ user: String, _ cluster: EjabberdCluster, _ key: TokenKey, node: Int, token other: String? = nil,
            width: Int = 320, hertz: Double = 440
        ) async throws -> Station {
            let token = try AccessToken(user: "\(other ?? user)@localhost", lifetime: .seconds(600)).signed(with: key)
            return try await Station(
                user, at: cluster.url(first: node), token: { token }, width: width, hertz: hertz)
        }

        private func survive(
            _ victim: Victim, _ moment: Moment, _ cluster: EjabberdCluster, _ key: TokenKey,
            at nodes: (caller: Int, callee: Int), kill: () -> Void
        ) async throws {
            let what = Comment("\(victim), \(moment)")
            let alice = try await station("alice", cluster, key, node: nodes.caller).prepared()
            let bob = try await station("bob", cluster, key, node: nodes.callee, width: 240, hertz: 554).prepared()
            var mine = moment == .calling ? try await alice.call(bob) : try await ringing(bob, from: alice)
            if moment == .calling {
                kill()
                try await eventually("it rings, or ends: \(what)") {
                    if case .ended = await mine.call.state { true } else { !bob.incoming.isEmpty }
                }
                if bob.incoming.isEmpty {
                    // The callee had no node at that moment, and the broker said so. It is back soon.
                    try await mine.ends(.offline)
                    #expect(victim != .caller)
                    try await eventually("bob is back: \(what)") { bob.events.contains(.signalingRestored) }
                    mine = try await ringing(bob, from: alice)
                }
            }
            let theirs = try await bob.ring()
            try await mine.reaches(.ringing)
            if moment == .ringing { kill() }
            if moment == .connected {
                try await theirs.call.accept()
                for call in [mine, theirs] { try await call.reaches(.connected) }
                kill()
            }
            let moved: [Station] =
                switch victim {
                case .caller: [alice]
                case .callee: [bob]
                case .both: [alice, bob]
                }
            for station in moved {
                try await eventually("signaling is back: \(what)") { station.events.contains(.signalingRestored) }
            }
            if moment != .connected { try await theirs.call.accept() }
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, alice), (theirs, bob))
            try await mine.call.send(info: "are you there?")
            try await theirs.hears(.info("are you there?"))
            for call in [mine, theirs] { #expect(!call.states.contains(.reconnecting), "\(what) \(call.states)") }
            await theirs.call.hangUp()
            try await mine.ends(.remoteHangup)
            for station in [alice, bob] { await station.agent.close() }
        }

        /// Calls until it rings: for a moment the caller's node does not know yet that the callee is at another one.
        private func ringing(_ callee: Station, from caller: Station) async throws -> FollowedCall {
            var call = try await caller.call(callee)
            try await eventually("it rings at \(callee.user)") {
                if case .ended = await call.call.state {
                    try await call.ends(.offline)
                    call = try await caller.call(callee)
                }
                return !callee.incoming.isEmpty
            }
            return call
        }

        /// The broker does not show the notes of another node, but the last will of a program there.
        private func killedProgram(_ cluster: EjabberdCluster, _ key: TokenKey) async throws {
            let bob = try TemporaryFile(AccessToken(user: "bob@localhost", lifetime: .seconds(600)).signed(with: key))
            let callee = try Program(
                ["listen", "--as", "bob", "--signaling", cluster.url(first: 2), "--token-file", bob.path]
                    + ["--events", "--answer", "never", "--ice-interface", "127.0.0.1"])
            try await eventually("bob listens: \(callee.errors)") { callee.hasEvent(["event": "listening"]) }
            let alice = try await station("alice", cluster, key, node: 0).prepared()
            let call = FollowedCall(try await alice.agent.call("bob"))
            try await call.reaches(.ringing)
            callee.signal(SIGKILL)
            try await call.ends(.remoteLost)
            await alice.agent.close()
        }
    }
}
