import Foundation
import Testing

@testable import CallAgent

extension EndToEnd {
    /// The other end's process is killed and restarted, and does not know the call.
    @Suite struct HalfDeadCallTests {
        @Test("The survivor's call ends within seconds, and the next one works", .namesCases, arguments: [true, false])
        func restarted(isCaller: Bool) async {
            await together(SignalingKind.direct) { try await restarted(at: $0, isCaller: isCaller) }
        }

        private func restarted(at kind: SignalingKind, isCaller: Bool) async throws {
            let server = try await MortalServer(kind)
            let alice = try await Station("alice", at: server.url, hertz: 440).prepared()
            let (mine, bob) = try await connect(alice, server, isCaller: isCaller)
            bob.signal(SIGKILL)
            try await bob.waitForExit()
            let reborn = try await listen(server)
            try await mine.ends(.remoteLost, .unknownCall, within: .seconds(6))
            #expect(!reborn.hasEvent(["event": "stateChanged"]))
            try await expectNextCall(alice)
            #expect(reborn.exitStatus == nil)
            await alice.agent.close()
        }

        @Test("The survivor's call also ends if the server was down meanwhile", .namesCases)
        func restartedInAnOutage() async {
            await together(SignalingKind.direct) { try await restartedInAnOutage(at: $0) }
        }

        private func restartedInAnOutage(at kind: SignalingKind) async throws {
            let server = try await MortalServer(kind)
            let alice = try await Station("alice", at: server.url, hertz: 440).prepared()
            let (mine, bob) = try await connect(alice, server, isCaller: true)
            try await server.die()
            try await mine.hears(.signalingLost)
            bob.signal(SIGKILL)
            try await bob.waitForExit()
            try await mine.reaches(.reconnecting)
            try await server.rise()
            let reborn = try await listen(server)
            try await mine.ends(.remoteLost, .unknownCall, within: .seconds(10))
            try await expectNextCall(alice)
            #expect(reborn.exitStatus == nil)
            await alice.agent.close()
        }

        private func listen(_ server: MortalServer) async throws -> Program {
            let bob = try Program(["listen", "--as", "bob", "--events"] + common(server))
            try await eventually("bob listens: \(bob.errors)") { bob.hasEvent(["event": "listening"]) }
            return bob
        }

        private func common(_ server: MortalServer) -> [String] {
            [
                "--signaling", server.url, "--ice-interface", "127.0.0.1", "--video-size", "240x120", "--audio",
                "tone:554",
            ]
        }

        private func connect(
            _ alice: Station, _ server: MortalServer, isCaller: Bool
        ) async throws -> (FollowedCall, Program) {
            let (mine, bob): (FollowedCall, Program)
            if isCaller {
                bob = try await listen(server)
                mine = FollowedCall(try await alice.agent.call("bob"))
            } else {
                bob = try Program(["call", "alice", "--as", "bob", "--events", "--duration", "10m"] + common(server))
                mine = try await alice.ring()
                try await mine.call.accept()
            }
            try await mine.reaches(.connected)
            try await mine.seesAndHears(Mark(user: "bob", width: 240, hertz: 554))
            return (mine, bob)
        }

        private func expectNextCall(_ alice: Station) async throws {
            let next = FollowedCall(try await alice.agent.call("bob"))
            try await next.seesAndHears(Mark(user: "bob", width: 240, hertz: 554))
            await next.call.hangUp()
            try await next.ends(.localHangup)
        }
    }
}
