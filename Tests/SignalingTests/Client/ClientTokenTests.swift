import CallAgent
import NIOCore
import NIOWebSocket
import SignalingServer
import Synchronization
import Testing

@testable import WebSocketSignaling

@Suite(.timeLimit(.minutes(2)))
struct ClientTokenTests {
    // Three seconds between the warning and the end, so that a busy machine gets the next token in time.
    @Test func aTokenIsRenewedFromTheProviderBeforeItEnds() async throws {
        try await withTokenServer {
            $0.tokenWarning = .seconds(3)
        } _: { server in
            let asked = Counter()
            let client = ClientUnderTest(
                port: server.port, token: { TestToken.good("alice", seconds: asked.next() < 3 ? 5 : 3_600) })
            try await client.transport.connect(as: "alice")
            for _ in 1...2 {
                guard case .tokenWillExpire(let left) = try await client.events.next() else {
                    Issue.record("no warning")
                    return
                }
                #expect((0...3_000).contains(left))
                #expect(try await client.events.next() == .tokenRenewed)
            }
            // It stays signed in: a watch is answered after the first two tokens have expired.
            try await staysSignedIn(client, for: .milliseconds(3_500))
            await client.transport.close()
            #expect(try await client.events.next() == nil)
            #expect(asked.next() == 4)
            #expect(client.clocks.count == 1)
        }
    }

    @Test func aProviderThatHasNoNextTokenIsAskedAgainAtTheNextSignIn() async throws {
        struct NoToken: Error {}
        try await withTokenServer { server in
            let asked = Counter()
            let client = ClientUnderTest(
                port: server.port,
                token: {
                    let number = asked.next()
                    if number == 2 { throw NoToken() }
                    return TestToken.good("alice", seconds: number == 1 ? 2 : 3_600)
                })
            try await client.transport.connect(as: "alice")
            guard case .tokenWillExpire = try await client.events.next() else {
                Issue.record("no warning")
                return
            }
            guard case .tokenNotRenewed(let text) = try await client.events.next() else {
                Issue.record("the failure is not reported")
                return
            }
            #expect(text.contains("NoToken"))
            #expect(try await client.loss() == "the server closed the connection (1008: the token expired)")
            #expect(try await client.events.next() == .reconnected)
            #expect(asked.next() == 4)
            #expect(client.clocks.count == 2)
        }
    }

    @Test func theSameTokenAgainIsReportedOnceAndNotSent() async throws {
        try await withTokenServer {
            $0.tokenWarning = .seconds(10)
        } _: { server in
            let (asked, only) = (Counter(), TestToken.good("alice", seconds: 12))
            let next = TestToken.good("alice")
            let client = ClientUnderTest(port: server.port, token: { asked.next() < 4 ? only : next })
            try await client.transport.connect(as: "alice")
            guard case .tokenWillExpire = try await client.events.next() else {
                Issue.record("no warning")
                return
            }
            #expect(try await client.events.next() == .tokenNotRenewed(text: "the next token is the present one"))
            #expect(try await client.events.next() == .tokenRenewed)
            #expect(asked.next() == 5)
            await client.transport.close()
            #expect(try await client.events.next() == nil)
        }
    }

    @Test func aRenewedTokenTakesThePlaceOfTheOld() async throws {
        try await withTokenServer {
            $0.tokenWarning = .seconds(3)
        } _: { server in
            let asked = Counter()
            let only = TestToken.good("alice")
            let client = try await ClientUnderTest.signedIn(
                "alice",
                token: {
                    _ = asked.next()
                    return only
                }, port: server.port)
            await #expect(throws: SignalingError.signInRefused(code: 403, text: "the token is for another user")) {
                try await client.transport.renew(token: TestToken.good("bob"))
            }
            await #expect(throws: SignalingError.self) { try await client.transport.renew(token: "a\"b") }
            try await client.transport.renew(token: TestToken.good("alice", seconds: 7_200))
            try await client.transport.renew(token: TestToken.good("alice", seconds: 5))
            guard case .tokenWillExpire = try await client.events.next() else {
                Issue.record("no warning")
                return
            }
            // The provider's token differs from the present one and replaces it.
            #expect(try await client.events.next() == .tokenRenewed)
            try await staysSignedIn(client, for: .milliseconds(3_500))
            #expect(asked.next() == 3)
            await client.transport.close()
            #expect(try await client.events.next() == nil)
        }
    }

    private func staysSignedIn(_ client: ClientUnderTest, for duration: Duration) async throws {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < duration {
            _ = try await client.transport.watch(["bob"])
            // The polling interval.
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test func aTokenIsKeptForHalfOfItsLifeAtLeast() {
        #expect(TokenRenewal.pause(held: .seconds(3_540), left: .seconds(60)) == .zero)
        #expect(TokenRenewal.pause(held: .zero, left: .seconds(10)) == .seconds(5))
        #expect(TokenRenewal.pause(held: .seconds(2), left: .seconds(10)) == .seconds(4))
    }

    @Test func whoHasNoProviderHearsTheRefusalAndARenewalFixesIt() async throws {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port) { $0.longestRetryDelay = .seconds(60) }
        async let connecting = client.transport.connect(as: "alice")
        let first = try #require(try await server.connections.next())
        try await first.signIn("alice")
        _ = try await connecting
        try await first.channel.close().get()
        _ = try await client.loss()
        let second = try #require(try await server.connections.next())
        _ = try await second.next(.text)
        try await second.send(#"{"v":1,"type":"refused","code":410,"text":"the token expired"}"#)
        #expect(
            try await client.loss() == "the signaling server refused the sign-in (410): the token expired")
        // Without this renewal the next attempt would be a minute later.
        try await client.transport.renew(token: "a.new.token")
        let third = try #require(try await server.connections.next())
        let signIn = try #require(try await third.next(.text))
        #expect(String(buffer: signIn.data) == #"{"v":1,"type":"signIn","user":"alice","token":"a.new.token"}"#)
        try await third.send(#"{"v":1,"type":"signedIn","user":"alice"}"#)
        #expect(try await client.events.next() == .reconnected)
    }

    @Test func aProviderWithoutATokenIsARefusal() async throws {
        struct NoToken: Error, CustomStringConvertible { var description: String { "the shop is closed" } }
        let client = ClientUnderTest(port: 1, token: { throw NoToken() })
        await #expect(
            throws: SignalingError.signInRefused(
                code: 401, text: "there is no token to sign in with: the shop is closed")
        ) { try await client.transport.connect(as: "alice") }
        for token in ["", "a b", "a\"", "ä", String(repeating: "a", count: 4_097)] {
            let client = ClientUnderTest(port: 1, token: { token })
            await #expect(
                throws: SignalingError.signInRefused(
                    code: 403, text: "the token to sign in with is empty, too long or no ASCII")
            ) { try await client.transport.connect(as: "alice") }
        }
        await #expect(throws: SignalingError.notConnected) { try await client.transport.renew(token: "x") }
    }

    @Test func theRefusalsOfTheServerArriveAtTheFirstConnect() async throws {
        try await withTokenServer { server in
            let tokens = [(TestToken.good("bob"), 403), (TestToken.good("alice", seconds: -5), 410)]
            for (token, code) in tokens {
                await #expect {
                    _ = try await ClientUnderTest.signedIn("alice", token: { token }, port: server.port)
                } throws: { error in
                    if case .signInRefused(code, _) = error as? SignalingError { true } else { false }
                }
            }
            await #expect {
                _ = try await ClientUnderTest.signedIn("alice", port: server.port)
            } throws: { error in
                if case .signInRefused(401, _) = error as? SignalingError { true } else { false }
            }
        }
    }

    @Test func aDeviceThatIsNoNameIsRefusedAndTheDefaultIsMain() async throws {
        let client = ClientUnderTest(port: 1, device: "a b")
        await #expect {
            try await client.transport.connect(as: "alice")
        } throws: { error in
            if case .signInRefused(400, _) = error as? SignalingError { true } else { false }
        }
        #expect(ClientUnderTest(port: 1).transport.device == "main")
        #expect(ClientUnderTest(port: 1, device: "tv").transport.device == "tv")
    }

    @Test(
        "A token sent unencrypted is reported once for another host, and not for this machine",
        // For the system 0.0.0.0 is this host; the client cannot know that.
        arguments: [("0.0.0.0", true, 1), ("0.0.0.0", false, 0), ("127.0.0.1", true, 0), ("localhost", true, 0)])
    func plainToken(host: String, hasToken: Bool, count: Int) async throws {
        let lines = LogLines()
        try await withServer { server in
            let token: @Sendable () async throws -> String = { "a-token" }
            let provider = hasToken ? token : nil
            let client = ClientUnderTest(
                port: server.port, host: host, logger: lines.logger, token: provider)
            try await client.transport.connect(as: "alice")
            if hasToken {
                // A server without tokens ignores it, but the token was sent.
                await #expect(throws: SignalingError.self) { try await client.transport.renew(token: "a-token") }
            }
            await client.transport.close()
        }
        let warning = "warning the token goes to another host unencrypted; use wss:// host=\(host)"
        #expect(lines.all.filter { $0.hasPrefix("warning") } == Array(repeating: warning, count: count))
        #expect(!lines.all.contains { $0.contains("a-token") })
    }
}
