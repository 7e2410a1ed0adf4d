import Foundation
import Testing

@testable import CallAgent

extension EndToEnd {
    /// The signaling server crashes and restarts without any state, while calls continue.
    @Suite struct OutageTests {
        @Test(
            "A call continues without the server; messages arrive when it is back, and so does a hang-up",
            arguments: SignalingKind.allCases)
        func connected(at kind: SignalingKind) async throws {
            let server = try await MortalServer(kind)
            let alice = try await Station("alice", at: server.url, hertz: 440).prepared()
            let bob = try await Station("bob", at: server.url, width: 240, hertz: 554).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, alice), (theirs, bob))

            try await server.die()
            for call in [mine, theirs] { try await call.hears(.signalingLost) }
            // Twice, so that the second check certainly begins in the outage.
            for _ in 1...2 { try await expectMedia((mine, alice), (theirs, bob)) }
            try await mine.call.send(info: "are you there?")
            try await theirs.call.hold()
            #expect(await mine.call.holdState == .none)

            try await server.rise()
            for call in [mine, theirs] { try await call.hears(.signalingRestored) }
            try await theirs.hears(.info("are you there?"))
            try await mine.hears(.holdChanged(.remotelyHeld))
            try await theirs.call.unhold()
            try await expectMedia((mine, alice), (theirs, bob))

            await mine.call.hangUp(text: "bye")
            try await theirs.ends(.remoteHangup)
            #expect(await theirs.call.end?.text == "bye")
            for (call, station) in [(mine, alice), (theirs, bob)] {
                #expect(!call.states.contains(.reconnecting), "\(call.states)")
                let told = station.events.all
                #expect(told.contains { if case .signalingLost = $0 { true } else { false } })
                #expect(told.contains(.signalingRestored))
            }
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test(
            "A call accepted while the server is down is connected when it is back",
            arguments: SignalingKind.allCases, ["guarded", "off"])
        func accepted(at kind: SignalingKind, policy: String) async throws {
            let policy = try #require(EarlyMediaPolicy(rawValue: policy))
            let (server, alice, bob) = try await ends(kind) { $0.earlyMedia = policy }
            let (mine, theirs) = try await ring(alice, bob)
            try await server.die()
            for call in [mine, theirs] { try await call.hears(.signalingLost) }
            try await theirs.call.accept()
            #expect(await mine.call.state == .ringing)
            try await server.rise()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, alice), (theirs, bob))
            await theirs.call.hangUp()
            try await mine.ends(.remoteHangup)
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test(
            "A call cancelled while the server is down stops ringing when it is back",
            arguments: SignalingKind.allCases)
        func cancelled(at kind: SignalingKind) async throws {
            let (server, alice, bob) = try await ends(kind)
            let (mine, theirs) = try await ring(alice, bob)
            try await server.die()
            for call in [mine, theirs] { try await call.hears(.signalingLost) }
            await mine.call.hangUp()
            try await mine.ends(.localCancelled)
            #expect(await theirs.call.state == .ringing)
            try await server.rise()
            try await theirs.ends(.remoteCancelled, .unknownCall)
            #expect(bob.incoming.count == 1)
            // Nothing of the call is left, so the next call works.
            let next = try await alice.call(bob)
            let nextRing = try await bob.ring(2)
            try await nextRing.call.accept()
            try await expectMedia((next, alice), (nextRing, bob))
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test("The ring timeout ends a call at both ends, whether the server comes back or not", .namesCases)
        func unanswered() async {
            await together(SignalingKind.allCases.flatMap { kind in [true, false].map { (kind, comesBack: $0) } }) {
                let (kind, comesBack) = $0
                let (server, alice, bob) = try await ends(kind) { $0.timeouts.ringMs = 3_000 }
                let (mine, theirs) = try await ring(alice, bob)
                try await server.die()
                for call in [mine, theirs] { try await call.hears(.signalingLost) }
                if comesBack { try await server.rise() }
                for call in [mine, theirs] { try await call.ends(.ringTimeout, .remoteRingTimeout) }
                await alice.agent.close()
                await bob.agent.close()
            }
        }

        private func ends(
            _ kind: SignalingKind, _ configure: (inout AgentConfiguration) -> Void = { _ in }
        ) async throws -> (MortalServer, Station, Station) {
            let server = try await MortalServer(kind)
            let alice = try await Station("alice", at: server.url, hertz: 440, configure: configure).prepared()
            let bob = try await Station("bob", at: server.url, width: 240, hertz: 554, configure: configure).prepared()
            return (server, alice, bob)
        }

        private func ring(_ alice: Station, _ bob: Station) async throws -> (FollowedCall, FollowedCall) {
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await mine.reaches(.ringing)
            return (mine, theirs)
        }
    }
}
