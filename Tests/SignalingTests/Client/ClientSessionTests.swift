import CallAgent
import NIOCore
import NIOWebSocket
import SignalingServer
import TestServers
import Testing
import WebSocketSignaling

/// Features of a sign-in: resume, presence and ICE servers.
@Suite(.timeLimit(.minutes(2)))
struct ClientSessionTests {
    @Test func aClientResumesWithWhatTheLastSignInGave() async throws {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port, device: "tv")
        async let connecting = client.transport.connect(as: "alice")
        var connection = try #require(try await server.connections.next())
        #expect(try await text(connection) == #"{"v":1,"type":"signIn","user":"alice","device":"tv"}"#)
        try await connection.send(#"{"v":1,"type":"signedIn","user":"alice","unixMs":17,"resume":"r1"}"#)
        _ = try await connecting
        for round in 1...2 {
            try await connection.channel.close().get()
            _ = try await client.loss()
            connection = try #require(try await server.connections.next())
            #expect(
                try await text(connection)
                    == #"{"v":1,"type":"signIn","user":"alice","device":"tv","resume":"r\#(round)"}"#)
            try await connection.send(#"{"v":1,"type":"signedIn","user":"alice","resume":"r\#(round + 1)"}"#)
            #expect(try await client.events.next() == .reconnected)
        }
        #expect(try await client.clocks.next() == 17)
        #expect(client.clocks.count == 0)
    }

    @Test func theClockComesBeforeEverythingElse() async throws {
        try await withServer { server in
            let transport = WebSocketTransport(url: "ws://127.0.0.1:\(server.port)", logger: quietLogger)
            try await transport.connect(as: "alice")
            var events = transport.events.makeAsyncIterator()
            guard case .clock(let unixMs) = await events.next() else {
                Issue.record("no clock")
                return
            }
            #expect(unixMs > 1_600_000_000_000)
            await transport.close()
        }
    }

    @Test func aConnectionThatWasReplacedEndsAndIsNeverTakenBack() async throws {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port) { $0.longestRetryDelay = .milliseconds(1) }
        async let connecting = client.transport.connect(as: "alice")
        let connection = try #require(try await server.connections.next())
        try await connection.signIn("alice")
        _ = try await connecting
        let frame = ByteBuffer(bytes: [0x03, 0xF0] + Array("replaced by a newer sign-in of this device".utf8))
        try await connection.channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .connectionClose, data: frame)
        ).get()
        _ = try await connection.next(.connectionClose)
        try await connection.channel.close().get()
        guard case .ended(.replaced(let text)) = try await client.events.next() else {
            Issue.record("not told of the replacement")
            return
        }
        #expect(text.contains("replaced by a newer sign-in"))
        #expect(try await client.events.next() == nil, "nothing comes after the end")
        await #expect(throws: SignalingError.closed) { try await client.transport.connect(as: "alice") }
    }

    @Test func iceServersComeWithTheSignInAndThenAsEvents() async throws {
        let secret = try TemporaryFile("a shared secret")
        try await withServer {
            $0.stunURLs = ["stun:127.0.0.1"]
            $0.turnURLs = ["turn:127.0.0.1"]
            $0.turnSecretFile = secret.path
            $0.turnLifetime = .milliseconds(400)
        } _: { server in
            let alice = ClientUnderTest(port: server.port)
            let first = try await alice.transport.connect(as: "alice")
            guard case .iceServers(let next, 400) = try await alice.events.next() else {
                Issue.record("no servers")
                return
            }
            for servers in [first, next] {
                #expect(servers.map(\.urls) == [["stun:127.0.0.1"], ["turn:127.0.0.1"]])
                #expect(servers.last?.username?.hasSuffix(":alice") == true)
                #expect(servers.last?.credential?.isEmpty == false)
            }
            #expect(try await alice.transport.connect(as: "alice").count == 2, "signed in already")
        }
    }

    // MARK: Presence

    @Test func presenceIsToldAtOnceOnChangesAndAfterALoss() async throws {
        let first = try await Server.start(configuration: .init(port: 0), logger: quietLogger)
        let alice = try await ClientUnderTest.signedIn("alice", port: first.port)
        let seen = Mailbox<Presence>()
        let stream = try await alice.transport.watch(["bob"])
        Task {
            for await presence in stream { seen.put(presence) }
            seen.finish()
        }
        #expect(try await seen.next() == Presence(user: "bob", devices: []))
        let bob = try await ClientUnderTest.signedIn("bob", device: "tv", port: first.port)
        #expect(try await seen.next() == Presence(user: "bob", devices: ["tv"]))
        await bob.transport.close()
        #expect(try await seen.next() == Presence(user: "bob", devices: []))
        await first.shutdown()
        let second = try await Server.start(configuration: .init(port: first.port), logger: quietLogger)
        #expect(try await seen.next() == Presence(user: "bob", devices: []))
        // A new watch replaces the one before.
        let other = try await alice.transport.watchEverybody()
        #expect(try await seen.next() == nil)
        var iterator = other.makeAsyncIterator()
        #expect(await iterator.next() == Presence(user: "alice", devices: ["main"]))
        await alice.transport.close()
        #expect(await iterator.next() == nil)
        await second.shutdown()
    }

    @Test func whatMayNotBeWatchedIsRefused() async throws {
        try await withServer {
            $0.directory = false
        } _: { server in
            let alice = ClientUnderTest(port: server.port)
            await #expect(throws: SignalingError.notConnected) { try await alice.transport.watch(["bob"]) }
            try await alice.transport.connect(as: "alice")
            await #expect {
                try await alice.transport.watchEverybody()
            } throws: { error in
                if case .signInRefused(403, _) = error as? SignalingError { true } else { false }
            }
            await #expect(throws: SignalingError.self) { try await alice.transport.watch(["a b"]) }
            _ = try await alice.transport.watch(["bob"])
        }
    }

    private func text(_ connection: FakeServer.Connection) async throws -> String {
        String(buffer: try #require(try await connection.next(.text)).data)
    }
}
