import SignalingServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerLifeTests {
    @Test func theServerTellsWhereItListens() async throws {
        try await withServer { server in
            #expect(server.address == "127.0.0.1")
            #expect((1...65_535).contains(server.port))
        }
    }

    @Test func aPortInUseIsToldApart() async throws {
        try await withServer { server in
            let configuration = ServerConfiguration(port: server.port)
            await #expect(throws: ServerError.addressInUse(host: "127.0.0.1", port: server.port)) {
                try await Server.start(configuration: configuration, logger: quietLogger)
            }
        }
    }

    @Test(arguments: [("192.0.2.1", "not one of this machine"), ("no such host", "cannot be resolved")])
    func aHostThatIsNotThisMachinesIsToldInWords(host: String, words: String) async throws {
        await #expect {
            try await Server.start(
                configuration: ServerConfiguration(host: host, port: 0), logger: quietLogger)
        } throws: { error in
            "\(error)".contains(words) && "\(error)".hasPrefix("cannot listen on \(host):0: ")
        }
    }

    @Test func aConfigurationThatNoServerCanWorkWithIsRefused() async throws {
        let changes: [(inout ServerConfiguration) -> Void] = [
            { $0.port = -1 }, { $0.port = 65_536 }, { $0.host = "" }, { $0.messageBytes = 255 },
            { $0.messageBytes = .max }, { $0.signInTimeout = .zero }, { $0.pingInterval = .seconds(-1) },
            { $0.silenceTimeout = .seconds(Int64.max) }, { $0.callsPerConnection = -1 }, { $0.pendingBytes = 65_535 },
            { $0.rememberedUsers = 0 }, { $0.messagesPerSecond = 0 }, { $0.messageBurst = 0 },
            { $0.callsPerUser = -1 }, { $0.devicesPerUser = 0 }, { $0.connections = 0 },
            { $0.unauthenticatedConnections = 0 }, { $0.connectionsPerAddress = 0 }, { $0.tokenWarning = .zero },
            { $0.turnLifetime = .zero }, { $0.turnURLs = ["turn:x"] }, { $0.stunURLs = ["stun:"] },
            { $0.stunURLs = ["stun:a\"b"] }, { $0.turnURLs = ["http://x"] },
        ]
        for change in changes {
            var configuration = ServerConfiguration(port: 0)
            change(&configuration)
            await #expect {
                try await Server.start(configuration: configuration, logger: quietLogger)
            } throws: { error in
                "\(error)".hasPrefix("the signaling server cannot use its configuration: ")
            }
        }
    }

    @Test func aServerThatIsStartedAgainTakesTheSamePort() async throws {
        let first = try await Server.start(configuration: .init(port: 0), logger: quietLogger)
        let client = try await RawClient.signedIn("alice", port: first.port)
        await first.shutdown()
        try await client.end()
        let second = try await Server.start(configuration: .init(port: first.port), logger: quietLogger)
        _ = try await RawClient.signedIn("alice", port: second.port)
        await second.shutdown()
    }

    @Test func shutdownClosesEveryConnectionWith1001() async throws {
        let server = try await Server.start(configuration: .init(port: 0), logger: quietLogger)
        let signedIn = try await RawClient.signedIn("alice", port: server.port)
        let waiting = try await RawClient.connect(port: server.port)
        let mute = try await RawClient.open(port: server.port)
        async let stopped: Void = server.shutdown()
        #expect(try await signedIn.closeCode() == 1001)
        #expect(try await waiting.closeCode() == 1001)
        try await signedIn.end()
        try await waiting.end()
        try await mute.end()
        await stopped
        await server.shutdown()
        await #expect(throws: (any Error).self) { try await RawClient.open(port: server.port) }
    }

    @Test func shutdownDoesNotWaitLongForAClientThatDoesNotAnswer() async throws {
        var configuration = ServerConfiguration(port: 0)
        configuration.closeTimeout = .milliseconds(100)
        let server = try await Server.start(configuration: configuration, logger: quietLogger)
        let client = try await RawClient.signedIn("alice", port: server.port)
        let duration = await ContinuousClock().measure { await server.shutdown() }
        #expect(duration >= .milliseconds(90))
        #expect(duration < .seconds(10))
        try await client.end()
    }

    @Test func aSilentClientIsPingedAndClosedWhenItDoesNotAnswer() async throws {
        try await withServer {
            $0.pingInterval = .milliseconds(100)
            $0.silenceTimeout = .milliseconds(500)
        } _: { server in
            let client = try await RawClient.signedIn("alice", port: server.port)
            var pings = 0
            var status: Int?
            while let frame = try await client.frames.next() {
                if frame.opcode == 9 { pings += 1 }
                if frame.opcode == 8 { status = frame.closeCode }
            }
            // This also holds on a busy machine where every timer is late.
            #expect(pings >= 4)
            #expect(status == 1008)
        }
    }

    @Test func aClientThatAnswersPingsStays() async throws {
        try await withServer {
            $0.pingInterval = .milliseconds(30)
            $0.silenceTimeout = .milliseconds(1_000)
        } _: { server in
            let client = try await RawClient.signedIn("alice", port: server.port)
            let start = ContinuousClock.now
            while ContinuousClock.now < start + .milliseconds(1_500) {
                let frame = try #require(try await client.frames.next())
                try #require(frame.opcode == 9)
                try await client.send(opcode: 10, frame.payload)
            }
        }
    }

    @Test func aClientThatDoesNotReadIsGivenUpAndItsCallsAreGone() async throws {
        try await withServer {
            $0.closeTimeout = .seconds(20)
        } _: { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let slow = try await RawClient.signedIn("slow", port: server.port)
            try await slow.read(false)
            try await alice.send(callMessage("invite", call: "c1", from: "alice", to: "slow"))
            let filler = String(repeating: "z", count: 60_000)
            var sent = 0
            // The kernel buffers some megabytes before data waits in the server.
            while alice.frames.count == 0, sent < 1_000 {
                try await alice.send(
                    callMessage(id: "m\(sent)", from: "alice", to: "slow", extra: #","x":"\#(filler)""#))
                sent += 1
            }
            let answer = try await alice.text()
            #expect(answer.contains(#""type":"gone""#) && answer.contains(#""from":"slow""#))
            #expect(sent >= 17)
            // The client still gets the waiting data, and then the close status.
            try await slow.read(true)
            #expect(try await slow.closeCode() == 1008)
            try await slow.end()
        }
    }

    @Test(arguments: ["GET /elsewhere HTTP/1.1", "GET /some/page HTTP/1.0", "POST /x HTTP/1.1"])
    func aRequestThatIsNoUpgradeIsAnsweredWith426(request: String) async throws {
        try await withServer { server in
            let client = try await RawClient.open(port: server.port)
            try await client.send(bytes: Array("\(request)\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc".utf8))
            try await client.end()
            #expect(client.response.contains(" 426 Upgrade Required\r\n"))
            #expect(client.response.contains("WebSocket (RFC 6455)"))
        }
    }

    @Test(arguments: [
        "Upgrade: websocket\r\nConnection: Upgrade\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 12\r\n",
        "Upgrade: h2c\r\nConnection: Upgrade\r\n",
    ])
    func aMalformedUpgradeIsAnsweredWith426(fields: String) async throws {
        try await withServer { server in
            let client = try await RawClient.open(port: server.port)
            try await client.send(bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8))
            try await client.end()
            #expect(client.response.hasPrefix("HTTP/1.1 426 "))
            #expect(client.response.lowercased().contains("sec-websocket-version: 13"))
        }
    }

    @Test func whatIsNotHTTPIsRefused() async throws {
        try await withServer {
            $0.signInTimeout = .milliseconds(100)
        } _: { server in
            let client = try await RawClient.open(port: server.port)
            try? await client.send(bytes: Array("\u{1}\u{2} hello\r\n\r\n".utf8))
            try await client.end()
        }
    }

    @Test func aHeadBeyondTheBoundIsRefused() async throws {
        try await withServer {
            $0.signInTimeout = .milliseconds(500)
        } _: { server in
            let client = try await RawClient.open(port: server.port)
            try? await client.send(
                bytes: Array("GET / HTTP/1.1\r\nHost: \(String(repeating: "x", count: 100_000))\r\n\r\n".utf8))
            try await client.end()
            #expect(!client.response.hasPrefix("HTTP/1.1 101"))
        }
    }
}
