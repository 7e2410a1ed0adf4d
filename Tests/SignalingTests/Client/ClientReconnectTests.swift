import CallAgent
import NIOCore
import NIOWebSocket
import SignalingServer
import Testing
import WebSocketSignaling

@Suite(.timeLimit(.minutes(2)))
struct ClientReconnectTests {
    @Test func aServerThatStopsIsReportedAndSendingFailsUntilItIsBack() async throws {
        let first = try await Server.start(configuration: .init(port: 0), logger: quietLogger)
        let alice = try await ClientUnderTest.signedIn("alice", port: first.port)
        let bob = try await ClientUnderTest.signedIn("bob", port: first.port)
        await first.shutdown()
        #expect(try await alice.loss() == "the server closed the connection (1001: the server stops)")
        _ = try await bob.loss()
        await #expect(throws: SignalingError.notConnected) {
            try await alice.transport.send(callMessage(from: "alice", to: "bob"), to: "bob")
        }
        // Returns at once: the transport reconnects by itself.
        try await alice.transport.connect(as: "alice")

        let second = try await Server.start(configuration: .init(port: first.port), logger: quietLogger)
        #expect(try await alice.events.next() == .reconnected)
        #expect(try await bob.events.next() == .reconnected)
        try await alice.transport.send(callMessage(id: "after", from: "alice", to: "bob"), to: "bob")
        #expect(try await bob.message() == callMessage(id: "after", from: "alice", to: "bob"))
        await second.shutdown()
    }

    @Test func aConnectionThatIsCutIsMadeAgainEveryTime() async throws {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port)
        async let connecting = client.transport.connect(as: "alice")
        var connection = try #require(try await server.connections.next())
        try await connection.signIn("alice")
        _ = try await connecting
        for round in 0..<5 {
            try await connection.channel.close().get()
            #expect(try await client.loss() == "the server closed the connection")
            connection = try #require(try await server.connections.next())
            try await connection.signIn("alice")
            #expect(try await client.events.next() == .reconnected)
            try await connection.send("round \(round)")
            #expect(try await client.message() == "round \(round)")
        }
        await client.transport.close()
        #expect(try await client.events.next() == nil)
    }

    @Test func aNameThatIsStillTakenIsTriedAgain() async throws {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port)
        async let connecting = client.transport.connect(as: "alice")
        let first = try #require(try await server.connections.next())
        try await first.signIn("alice")
        _ = try await connecting
        try await first.channel.close().get()
        _ = try await client.loss()
        for _ in 0..<3 {
            let refusing = try #require(try await server.connections.next())
            _ = try await refusing.next(.text)
            try await refusing.send(#"{"v":1,"type":"refused","code":409,"text":"taken"}"#)
        }
        let last = try #require(try await server.connections.next())
        try await last.signIn("alice")
        #expect(try await client.events.next() == .reconnected)
    }

    @Test func aServerThatAnsweredFastHasLittleTimeForTheAnswerToACheck() async throws {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port) {
            $0.checkTimeout = .seconds(86_400)
            $0.silenceTimeout = .seconds(86_400)
        }
        async let connecting = client.transport.connect(as: "alice")
        let connection = try #require(try await server.connections.next())
        try await connection.signIn("alice")
        _ = try await connecting
        await client.transport.checkConnection()
        #expect(try await connection.next(.ping) != nil)
        #expect(try await client.loss()?.hasPrefix("the server did not answer within ") == true)
        let next = try #require(try await server.connections.next())
        try await next.signIn("alice")
        #expect(try await client.events.next() == .reconnected)
    }

    @Test func aServerThatFallsSilentIsNoticedByPings() async throws {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port) {
            $0.pingInterval = .milliseconds(20)
            $0.silenceTimeout = .milliseconds(1_000)
        }
        async let connecting = client.transport.connect(as: "alice")
        let connection = try #require(try await server.connections.next())
        try await connection.signIn("alice")
        _ = try await connecting
        #expect(try await connection.next(.ping) != nil)
        #expect(try await client.loss()?.hasPrefix("nothing came from the server for ") == true)
    }

    @Test func aServerThatAnswersPingsIsNotLost() async throws {
        try await withServer { server in
            let client = ClientUnderTest(port: server.port) {
                $0.pingInterval = .milliseconds(20)
                $0.silenceTimeout = .milliseconds(1_000)
            }
            try await client.transport.connect(as: "alice")
            let other = try await ClientUnderTest.signedIn("bob", port: server.port)
            let start = ContinuousClock.now
            while ContinuousClock.now < start + .milliseconds(1_500) { await Task.yield() }
            try await other.transport.send(callMessage(from: "bob", to: "alice"), to: "alice")
            #expect(try await client.message() == callMessage(from: "bob", to: "alice"))
        }
    }

    @Test func closingWhileTheServerIsDownEndsTheEvents() async throws {
        let server = try await Server.start(configuration: .init(port: 0), logger: quietLogger)
        let client = try await ClientUnderTest.signedIn("alice", port: server.port)
        await server.shutdown()
        _ = try await client.loss()
        await client.transport.close()
        #expect(try await client.events.next() == nil)
        await #expect(throws: SignalingError.closed) { try await client.transport.connect(as: "alice") }
    }

    @Test func closingWhileItConnectsMakesTheConnectFail() async throws {
        let server = try await FakeServer.saying(nil)
        let client = ClientUnderTest(port: server.port)
        let connecting = Task { try await client.transport.connect(as: "alice") }
        _ = try await server.connections.next()
        await client.transport.close()
        await #expect(throws: SignalingError.closed) { try await connecting.value }
        #expect(try await client.events.next() == nil)
    }
}
