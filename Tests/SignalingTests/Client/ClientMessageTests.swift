import CallAgent
import NIOCore
import NIOWebSocket
import SignalingServer
import Testing
import WebSocketSignaling

@Suite(.timeLimit(.minutes(2)))
struct ClientMessageTests {
    @Test func closeHandsOnWhatWasSentBeforeAndSignsOut() async throws {
        try await withServer { server in
            let alice = try await ClientUnderTest.signedIn("alice", port: server.port)
            let bob = try await ClientUnderTest.signedIn("bob", port: server.port)
            let filler = String(repeating: "x", count: 50_000)
            for number in 0..<40 {
                let text = callMessage(id: "m\(number)", from: "alice", to: "bob", extra: #","x":"\#(filler)""#)
                try await alice.transport.send(text, to: "bob")
            }
            await alice.transport.close()
            for number in 0..<40 { try #require(try await bob.message()?.contains("\"m\(number)\"") == true) }
            #expect(try await alice.events.next() == nil)
            _ = try await ClientUnderTest.signedIn("alice", port: server.port)
        }
    }

    @Test func closeSendsStatus1000AndMayBeCalledAgain() async throws {
        let (client, connection) = try await connected()
        async let closed: Void = client.transport.close()
        async let closedToo: Void = client.transport.close()
        let frame = try #require(try await connection.next(.connectionClose))
        #expect(Array(frame.data.readableBytesView) == [0x03, 0xE8])
        try await connection.channel.close().get()
        await closed
        await closedToo
        await client.transport.close()
        #expect(try await client.events.next() == nil)
        await #expect(throws: SignalingError.closed) { try await client.transport.send("x", to: "bob") }
    }

    @Test func closeDoesNotWaitLongForAServerThatDoesNotAnswer() async throws {
        let (client, connection) = try await connected { $0.closeTimeout = .milliseconds(50) }
        await client.transport.close()
        #expect(try await client.events.next() == nil)
        while try await connection.frames.next() != nil {}
    }

    @Test func aTransportThatNobodyHoldsSignsOut() async throws {
        let server = try await FakeServer.webSocket()
        func signInAndForget() async throws -> FakeServer.Connection {
            let transport = WebSocketTransport(url: "ws://127.0.0.1:\(server.port)", logger: quietLogger)
            async let connecting = transport.connect(as: "alice")
            let connection = try #require(try await server.connections.next())
            try await connection.signIn("alice")
            _ = try await connecting
            return connection
        }
        let connection = try await signInAndForget()
        #expect(try await connection.next(.connectionClose) != nil)
    }

    @Test func sendingBeforeTheFirstConnectionFails() async throws {
        let client = ClientUnderTest(port: 1)
        await #expect(throws: SignalingError.notConnected) { try await client.transport.send("x", to: "bob") }
        await client.transport.close()
        #expect(try await client.events.next() == nil)
    }

    @Test func aMessageOfTheGreatestLengthIsSentAndALongerOneIsNot() async throws {
        try await withServer { server in
            let alice = try await ClientUnderTest.signedIn("alice", port: server.port)
            let bob = try await ClientUnderTest.signedIn("bob", port: server.port)
            let empty = callMessage(from: "alice", to: "bob", extra: #","x":"""#)
            let padding = String(repeating: "y", count: 65_536 - empty.utf8.count)
            let text = callMessage(from: "alice", to: "bob", extra: #","x":"\#(padding)""#)
            try await alice.transport.send(text, to: "bob")
            #expect(try await bob.message() == text)
            await #expect {
                try await alice.transport.send(text + " ", to: "bob")
            } throws: { error in
                if case .malformed(let refused) = error as? SignalingError { refused.code == 413 } else { false }
            }
        }
    }

    @Test func aPingOfTheServerIsAnsweredWithItsPayload() async throws {
        let (client, connection) = try await connected()
        try await connection.send("payload", as: .ping)
        #expect(try await connection.next(.pong)?.data == .init(string: "payload"))
        await client.transport.close()
    }

    @Test func aMessageInFragmentsArrivesWhole() async throws {
        let (client, connection) = try await connected()
        try await connection.send("one ", isFinal: false)
        try await connection.send("two ", as: .continuation, isFinal: false)
        try await connection.send("three", as: .continuation)
        #expect(try await client.message() == "one two three")
    }

    @Test func anIncomingMessageBeyondTheLimitClosesWith1009() async throws {
        let (client, connection) = try await connected()
        try await connection.send(String(repeating: "a", count: 65_536))
        #expect(try await client.message()?.utf8.count == 65_536)
        try await connection.send(String(repeating: "a", count: 65_537))
        try await expectClose(1009, connection)

        let (otherClient, other) = try await connected()
        try await other.send(String(repeating: "a", count: 65_536), isFinal: false)
        try await other.send("a", as: .continuation)
        try await expectClose(1009, other)
        await otherClient.transport.close()
    }

    @Test func framesThatNoServerMaySendCloseTheConnection() async throws {
        let (client, binary) = try await connected()
        try await binary.send("x", as: .binary)
        try await expectClose(1003, binary)
        try await binary.channel.close().get()
        #expect(try await client.loss() == "the server sent a binary message")

        let (second, masked) = try await connected()
        try await masked.send("x", maskKey: [1, 2, 3, 4])
        try await expectClose(1002, masked)
        await second.transport.close()

        let (third, continuation) = try await connected()
        try await continuation.send("x", as: .continuation)
        try await expectClose(1002, continuation)
        await third.transport.close()
    }

    @Test func anApplicationThatIsSlowStopsTheReadingAndLosesNothing() async throws {
        let server = try await FakeServer.webSocket()
        let transport = WebSocketTransport(url: "ws://127.0.0.1:\(server.port)", logger: quietLogger)
        async let connecting = transport.connect(as: "alice")
        let connection = try #require(try await server.connections.next())
        try await connection.signIn("alice")
        _ = try await connecting
        // More than the queue and the kernel can hold: this task waits until the application reads.
        let filler = String(repeating: "f", count: 60_000)
        let sending = Task { for number in 0..<600 { try await connection.send("\(number) \(filler)") } }
        var received = 0
        for await event in transport.events {
            guard case .received(let text) = event else { continue }
            try #require(text.hasPrefix("\(received) "))
            received += 1
            if received == 600 { break }
        }
        try await sending.value
        await transport.close()
    }

    /// A client signed in at a server that sends nothing by itself.
    private func connected(
        _ configure: (inout WebSocketTransportConfiguration) -> Void = { _ in }
    ) async throws -> (ClientUnderTest, FakeServer.Connection) {
        let server = try await FakeServer.webSocket()
        let client = ClientUnderTest(port: server.port, configure: configure)
        async let connecting = client.transport.connect(as: "alice")
        let connection = try #require(try await server.connections.next())
        try await connection.signIn("alice")
        _ = try await connecting
        return (client, connection)
    }

    private func expectClose(
        _ status: Int, _ connection: FakeServer.Connection, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let frame = try await connection.next(.connectionClose)
        let code = frame?.data.getInteger(at: 0, as: UInt16.self)
        #expect(code.map { Int($0) } == status, sourceLocation: sourceLocation)
    }
}
