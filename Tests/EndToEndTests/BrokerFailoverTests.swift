import Foundation
import TestServers
import Testing

@testable import CallAgent

extension EndToEnd {
    /// Two brokers in one URL: when the first one is killed, the agents meet at the second one.
    @Suite struct BrokerFailoverTests {
        @Test("A call with media survives, and later messages arrive")
        func connected() async throws {
            let (first, url, second) = try await brokers()
            let (mine, theirs, alice, bob) = try await ring(url)
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, alice), (theirs, bob))
            first.stop()
            for call in [mine, theirs] { try await call.hears(.signalingRestored) }
            try await mine.call.send(info: "are you there?")
            try await theirs.hears(.info("are you there?"))
            try await expectMedia((mine, alice), (theirs, bob))
            for call in [mine, theirs] { #expect(!call.states.contains(.reconnecting), "\(call.states)") }
            await mine.call.hangUp()
            try await theirs.ends(.remoteHangup)
            for station in [alice, bob] { await station.agent.close() }
            second.stop()
        }

        @Test(
            "A call that rings meanwhile can be accepted, and one that is cancelled stops ringing",
            arguments: [true, false])
        func ringing(isAccepted: Bool) async throws {
            let (first, url, second) = try await brokers()
            let (mine, theirs, alice, bob) = try await ring(url)
            first.stop()
            for call in [mine, theirs] { try await call.hears(.signalingRestored) }
            if isAccepted {
                try await theirs.call.accept()
                for call in [mine, theirs] { try await call.reaches(.connected) }
                try await expectMedia((mine, alice), (theirs, bob))
                await theirs.call.hangUp()
                try await mine.ends(.remoteHangup)
            } else {
                await mine.call.hangUp()
                try await theirs.ends(.remoteCancelled)
            }
            for station in [alice, bob] { await station.agent.close() }
            second.stop()
        }

        private func brokers() async throws -> (first: MQTTBroker, url: String, second: MQTTBroker) {
            let (first, second) = (try await MQTTBroker(), try await MQTTBroker())
            return (first, "\(first.url),127.0.0.1:\(second.port)", second)
        }

        /// Alice's call to bob, which rings.
        private func ring(_ url: String) async throws -> (FollowedCall, FollowedCall, Station, Station) {
            let alice = try await Station("alice", at: url, hertz: 440).prepared()
            let bob = try await Station("bob", at: url, width: 240, hertz: 554).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await mine.reaches(.ringing)
            return (mine, theirs, alice, bob)
        }
    }
}
