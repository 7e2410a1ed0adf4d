import CallAgent
import CallProtocol
import NIOCore
import Testing
import WebSocketSignaling

import SignalingServer

@Suite(.timeLimit(.minutes(2)))
struct ClientConnectTests {
    @Test func twoClientsTalk() async throws {
        try await withServer { server in
            let alice = try await ClientUnderTest.signedIn("alice", port: server.port)
            let bob = try await ClientUnderTest.signedIn("bob", port: server.port)
            let text = try message(from: "alice", to: "bob").encoded()
            try await alice.transport.send(text, to: "bob")
            #expect(try await bob.message() == text)
            await alice.transport.close()
            await bob.transport.close()
        }
    }

    @Test func messagesOfOneTaskArriveInOrder() async throws {
        try await withServer { server in
            let alice = try await ClientUnderTest.signedIn("alice", port: server.port)
            let bob = try await ClientUnderTest.signedIn("bob", port: server.port)
            for number in 0..<300 {
                try await alice.transport.send(callMessage(id: "m\(number)", from: "alice", to: "bob"), to: "bob")
            }
            for number in 0..<300 {
                try #require(try await bob.message() == callMessage(id: "m\(number)", from: "alice", to: "bob"))
            }
        }
    }

    @Test func aPathAndAQueryReachTheServer() async throws {
        try await withServer { server in
            let client = ClientUnderTest(port: server.port, path: "/calls/here?room=1")
            try await client.transport.connect(as: "alice")
            await client.transport.close()
        }
    }

    @Test func aHostNameIsResolved() async throws {
        try await withServer { server in
            let transport = WebSocketTransport(url: "ws://localhost:\(server.port)", logger: quietLogger)
            try await transport.connect(as: "alice")
            await transport.close()
        }
    }

    @Test(arguments: [
        ("", "does not begin with ws://"), ("localhost:8080", "does not begin with ws://"),
        ("wss://", "names no host"), ("wss://localhost:0", "port is not in 1...65535"),
        ("http://localhost", "it begins with http://"), ("ws://", "names no host"), ("ws://:80", "names no host"),
        ("ws://localhost:0", "port is not in 1...65535"), ("ws://localhost:65536", "port is not in 1...65535"),
        ("ws://localhost:", "port is not in 1...65535"), ("ws://localhost:+80", "port is not in 1...65535"),
        ("ws://localhost:99999999999999999999", "port is not in 1...65535"),
        ("ws://[::1", "the ] of its host is missing"),
        ("ws://[::1]80", "port is not in 1...65535"), ("ws://a b", "no visible ASCII"),
        ("ws://localhost/\r\nX: y", "no visible ASCII"), ("ws://hö", "no visible ASCII"),
        ("ws://me:secret@localhost", "user or password"), ("ws://localhost/#x", "no fragment"),
        ("ws://a$b", "a character that no host has"),
    ])
    func aWrongURLIsToldInWords(url: String, words: String) async throws {
        let transport = WebSocketTransport(url: url, logger: quietLogger)
        await #expect {
            try await transport.connect(as: "alice")
        } throws: { error in
            guard case .invalidURL(url, let text) = error as? SignalingError else { return false }
            return text.contains(words)
        }
    }

    @Test func aPortWhereNobodyListensIsUnreachable() async {
        // A port that was free a moment ago may be of another test.
        await expectUnreachable("connection refused", port: 1)
    }

    @Test func aHostThatDoesNotExistIsUnreachable() async throws {
        let transport = WebSocketTransport(url: "ws://nobody.invalid:9", logger: quietLogger)
        await #expect(
            throws: SignalingError.unreachable("ws://nobody.invalid:9", text: "the host name cannot be resolved")
        ) { try await transport.connect(as: "alice") }
    }

    @Test func aServerThatNeverAnswersIsGivenUpInTime() async throws {
        let server = try await FakeServer.saying(nil)
        await expectUnreachable("no answer within 100 ms", port: server.port)
        let mute = try await FakeServer.webSocket()
        await expectUnreachable("no answer within 100 ms", port: mute.port)
    }

    @Test func aServerOfAnotherKindIsToldInWords() async throws {
        let page = try await FakeServer.saying("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno")
        await expectUnreachable("the server answered HTTP 404 instead of a WebSocket", port: page.port)
        let mail = try await FakeServer.saying("220 mail ESMTP\r\n")
        await expectUnreachable("the server does not speak HTTP", port: mail.port)
        let chat = try await FakeServer.saying(
            "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")
        await expectUnreachable("the server does not speak WebSocket", port: chat.port)
        let closing = try await FakeServer.saying("", thenClosing: true)
        await expectUnreachable("the server closed the connection", port: closing.port)
    }

    @Test func anAnswerThatIsNoneIsToldInWords() async throws {
        let server = try await FakeServer.webSocket()
        async let refusal: Void = expectUnreachable(
            "the server does not speak the signaling protocol", port: server.port, within: .seconds(10))
        let connection = try #require(try await server.connections.next())
        try await connection.send("hello")
        await refusal
    }

    @Test func aNameThatIsTakenIsRefused() async throws {
        try await withServer { server in
            let owner = try await ClientUnderTest.signedIn("alice", port: server.port)
            let other = ClientUnderTest(port: server.port)
            await #expect(throws: SignalingError.signInRefused(code: 409, text: "alice is signed in already")) {
                try await other.transport.connect(as: "alice")
            }
            // A refused client may try again.
            await owner.transport.close()
            try await other.transport.connect(as: "alice")
        }
    }

    @Test(arguments: ["", "a b", #"a"b"#, String(repeating: "a", count: 65)])
    func aMalformedNameIsRefusedBeforeAnythingIsSent(name: String) async throws {
        let transport = WebSocketTransport(url: "ws://127.0.0.1:1", logger: quietLogger)
        await #expect {
            try await transport.connect(as: name)
        } throws: { error in
            if case .signInRefused(400, _) = error as? SignalingError { true } else { false }
        }
    }

    @Test func connectingAgainAsTheSameUserReturnsAtOnceAndAsAnotherIsRefused() async throws {
        try await withServer { server in
            let client = try await ClientUnderTest.signedIn("alice", port: server.port)
            try await client.transport.connect(as: "alice")
            await #expect {
                try await client.transport.connect(as: "bob")
            } throws: { error in
                if case .signInRefused(409, _) = error as? SignalingError { true } else { false }
            }
        }
    }

    private func expectUnreachable(
        _ text: String, port: Int, within limit: Duration = .milliseconds(100),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        // Servers that answer are faster than this limit.
        let isDeadline = text.hasPrefix("no answer")
        let client = ClientUnderTest(port: port) { $0.connectTimeout = isDeadline ? limit : .seconds(10) }
        await #expect(
            throws: SignalingError.unreachable("ws://127.0.0.1:\(port)/", text: text), sourceLocation: sourceLocation
        ) { try await client.transport.connect(as: "alice") }
    }
}

/// A message of the package with a body that is valid in both directions.
func message(_ body: SignalingMessage.Body = .ringing, from: String, to: String) -> SignalingMessage {
    SignalingMessage(id: "m1", callId: "c1", from: from, to: to, sentUnixMs: 1_700_000_000_000, body: body)
}
