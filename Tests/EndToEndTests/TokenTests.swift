import CallAgent
import Foundation
import Synchronization
import Testing

extension EndToEnd {
    /// Calls of users who sign in with tokens, and calls during which a token expires.
    @Suite struct TokenTests {
        private struct NoToken: Error, CustomStringConvertible { var description: String { "the shop is closed" } }

        @Test("With valid tokens a call has video and audio, also beyond the lifetime of one token")
        func renewedByProvider() async throws {
            let server = try await TestServer(tokenWarning: .seconds(4))
            let asked = Mutex(0)
            let alice = try await Station(
                "alice", at: server.url,
                token: {
                    let number = asked.withLock {
                        $0 += 1; return $0
                    }
                    return try server.token("alice", lifetime: number == 1 ? .seconds(5) : .seconds(600))
                }
            ).prepared()
            let signedIn = ContinuousClock.now
            let bob = try await Station(
                "bob", at: server.url, token: { try server.token("bob") }, width: 240, hertz: 554
            ).prepared()
            let (mine, theirs) = try await connect(alice, bob)
            try await expectMedia((mine, alice), (theirs, bob))
            try await eventually("the server warned, and the provider was asked") {
                asked.withLock { $0 } == 2 && alice.warnings == 1
            }
            try await eventually("the first token is over") { ContinuousClock.now - signedIn > .milliseconds(5_500) }
            try await theirs.call.send(info: "still there?")
            try await mine.hears(.info("still there?"))
            try await expectMedia((mine, alice), (theirs, bob))
            #expect(alice.losses.isEmpty)
            #expect(asked.withLock { $0 } == 2)
            await mine.call.hangUp()
            try await theirs.ends(.remoteHangup)
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test("An agent without a next token gets a warning and renews its token during the call")
        func renewedByHand() async throws {
            // Alice gets the warning within a second and then has five seconds left.
            let server = try await TestServer(tokenWarning: .seconds(5))
            let bob = try await Station(
                "bob", at: server.url, token: { try server.token("bob") }, width: 240, hertz: 554
            ).prepared()
            let only = try server.token("alice", lifetime: .seconds(6))
            let alice = try await Station("alice", at: server.url, token: { only }).prepared()
            let signedIn = ContinuousClock.now
            let (mine, theirs) = try await connect(alice, bob)
            try await eventually("the warning") { alice.warnings == 1 }
            await #expect {
                try await alice.agent.renew(token: server.token("bob"))
            } throws: { error in
                error as? CallError == .signaling(.signInRefused(code: 403, text: "the token is for another user"))
            }
            try await alice.agent.renew(token: server.token("alice"))
            try await eventually("the first token is over") { ContinuousClock.now - signedIn > .milliseconds(6_500) }
            try await expectMedia((mine, alice), (theirs, bob))
            await theirs.call.hangUp()
            try await mine.ends(.remoteHangup)
            #expect(alice.losses.isEmpty)
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test("An expired token without a new one closes the signaling with a reason, but not the call")
        func expired() async throws {
            let server = try await TestServer(tokenWarning: .seconds(1))
            let asked = Mutex(0)
            let mayHaveOne = Mutex(false)
            let bob = try await Station(
                "bob", at: server.url, token: { try server.token("bob") }, width: 240, hertz: 554
            ).prepared()
            let alice = try await Station(
                "alice", at: server.url,
                token: {
                    guard
                        asked.withLock({
                            $0 += 1; return $0
                        }) > 1
                    else {
                        return try server.token("alice", lifetime: .seconds(5))
                    }
                    guard mayHaveOne.withLock({ $0 }) else { throw NoToken() }
                    return try server.token("alice")
                }
            ).prepared()
            let (mine, theirs) = try await connect(alice, bob)
            try await eventually("signaling is lost") { alice.losses.count >= 2 }
            #expect(alice.losses[0].contains("the token expired"))
            #expect(alice.losses[1].contains("there is no token to sign in with: the shop is closed"))
            for _ in 1...2 { try await expectMedia((mine, alice), (theirs, bob)) }

            mayHaveOne.withLock { $0 = true }
            try await eventually("signaling is back") { alice.events.contains(.signalingRestored) }
            for call in [mine, theirs] { #expect(!call.states.contains(.reconnecting)) }
            await mine.call.hangUp()
            try await theirs.ends(.remoteHangup)
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test("Expired, wrong and missing tokens have different errors before any call", arguments: [410, 403, 401])
        func refused(code: Int) async throws {
            let (server, other) = (try await TestServer(tokenWarning: .seconds(1)), "bob")
            let provider: (@Sendable () async throws -> String)? =
                switch code {
                case 410: { try server.token("alice", lifetime: .seconds(-1)) }
                case 403: { try server.token(other) }
                default: nil
                }
            let words = [410: "expired", 403: "another user", 401: "requires a token"]
            let alice = try await Station("alice", at: server.url, token: provider)
            await #expect {
                _ = try await alice.prepared()
            } throws: { error in
                guard case .signaling(.signInRefused(code, let text)) = error as? CallError else { return false }
                return text.contains(words[code] ?? "?") && "\(error)".contains("(\(code))")
            }
            #expect(await alice.agent.state == .failed)
            await alice.agent.close()
        }

        private func connect(_ alice: Station, _ bob: Station) async throws -> (FollowedCall, FollowedCall) {
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            return (mine, theirs)
        }

        @Test("When two programs use one user and device, the earlier one ends with a clear error")
        func replaced() async throws {
            let server = try await TestServer(tokenWarning: .seconds(5))
            func listen() async throws -> Program {
                let bob = try Program([
                    "listen", "--as", "bob", "--device", "desk", "--token", try server.token("bob"), "--events",
                    "--signaling", server.url, "--ice-interface", "127.0.0.1",
                ])
                try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
                return bob
            }
            let (first, second) = (try await listen(), try await listen())
            #expect(try await first.waitForExit() == 3)
            #expect(first.errors.contains("another program signed in as the same user and device"), "\(first.errors)")
            let alice = try Program([
                "call", "bob", "--as", "alice", "--token", try server.token("alice"), "--duration", "500ms",
                "--signaling", server.url, "--ice-interface", "127.0.0.1",
                "--expect", "video.received.distinctFrames>5",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(!second.hasEvent(["event": "signalingLost"]), "\(second.output)")
            second.signal(SIGTERM)
            try await second.waitForExit()
        }
    }
}

extension Station {
    /// How often the server warned that the token will expire.
    fileprivate var warnings: Int {
        events.all.count { if case .tokenWillExpire = $0 { true } else { false } }
    }

    /// The reasons of all signaling losses.
    fileprivate var losses: [String] {
        events.all.compactMap { if case .signalingLost(let text) = $0 { text } else { nil } }
    }
}
