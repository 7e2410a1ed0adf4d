import NIOCore
import TransportSecurity
import TestServers
import Testing

@Suite("The tunnel to a TURN server", .timeLimit(.minutes(1))) struct TCPTunnelTests {
    /// More than the socket buffers on the path can hold.
    private static let much = 64 << 20

    private let certificate: TestCertificate
    private let accepted = Shared<[TunnelEnd]>([])
    private let failures = Shared<[String]>([])

    init() throws { certificate = try TestCertificate() }

    /// A server, and a tunnel to it.
    private func withTunnel(
        speaksTLS: Bool = true, echoes: Bool = false, _ body: (TCPTunnel) async throws -> Void
    ) async throws {
        let (accepted, failures) = (accepted, failures)
        let server = try await TunnelEnd.listen(speaksTLS ? certificate : nil, echoes: echoes) { end in
            accepted.update { $0.append(end) }
        }
        let port = try #require(server.localAddress?.port)
        let context = try TrustedRoots.context(file: certificate.certificate.path)
        let tunnel = try await inTime("the tunnel listens") {
            try TCPTunnel(listeningOn: "127.0.0.1", to: "127.0.0.1", port: port, context: context) { text in
                failures.update { $0.append(text) }
            }
        }
        defer {
            tunnel.close()
            server.close(promise: nil)
            for end in accepted.value { end.close() }
        }
        try await body(tunnel)
    }

    /// The server's end of the only connection.
    private func serverEnd() async throws -> TunnelEnd {
        try await eventually("the server has it") { !accepted.value.isEmpty }
        return accepted.value[0]
    }

    /// How much an end has sent when it cannot send more.
    ///
    /// If a pause is taken for a standstill, a test is too lenient, never too strict.
    private func amountAtStandstill(of end: TunnelEnd) async throws -> Int {
        var (last, since) = (0, ContinuousClock.now)
        try await eventually("a standstill", within: .seconds(30)) {
            let sent = end.progress.sent
            if sent != last { (last, since) = (sent, .now) }
            return sent == Self.much || sent > 0 && ContinuousClock.now - since > .milliseconds(500)
        }
        return last
    }

    @Test(
        "Data that a reader does not read stays with the sender, and arrives whole later",
        arguments: [true, false])
    func backPressure(clientSends: Bool) async throws {
        try await withTunnel { tunnel in
            let client = try await TunnelEnd.connect(to: tunnel.port)
            let server = try await serverEnd()
            let (from, to) = clientSends ? (client, server) : (server, client)
            // One byte first, so that the handshake is over.
            from.send(1)
            try await eventually("the first byte") { to.progress.received == 1 }
            try await to.setReading(false)
            from.send(Self.much - 1)
            #expect(try await amountAtStandstill(of: from) < Self.much)
            try await to.setReading(true)
            try await eventually("all of it", within: .seconds(30)) { to.progress.received == Self.much }
            #expect(to.progress.isIntact)
        }
    }

    @Test("Nothing is read from a client before the server is authenticated")
    func beforeTheHandshake() async throws {
        try await withTunnel(speaksTLS: false) { tunnel in
            let client = try await TunnelEnd.connect(to: tunnel.port)
            client.send(Self.much)
            #expect(try await amountAtStandstill(of: client) < Self.much)
            #expect(failures.value.isEmpty)
            tunnel.close()
            try await eventually("the end of it") { client.progress.isOver }
        }
    }

    @Test("A connection beyond the limit of 64 is closed at once, until another one ends")
    func limit() async throws {
        try await withTunnel(echoes: true) { tunnel in
            var clients: [TunnelEnd] = []
            for _ in 1...TCPTunnel.maximumConnections {
                let client = try await TunnelEnd.connect(to: tunnel.port)
                client.send(1)
                clients.append(client)
            }
            for client in clients { try await eventually("its byte is back") { client.progress.received == 1 } }
            let tooMany = try await TunnelEnd.connect(to: tunnel.port)
            try await eventually("the end of it") { tooMany.progress.isOver }
            #expect(accepted.value.count == TCPTunnel.maximumConnections)
            #expect(!clients.contains { $0.progress.isOver })

            clients[0].close()
            try await eventually("room for another") {
                let next = try await TunnelEnd.connect(to: tunnel.port)
                next.send(1)
                try await eventually("an answer") { next.progress.received == 1 || next.progress.isOver }
                return next.progress.received == 1
            }
        }
    }

    @Test("A client that closes its end closes the server's")
    func clientCloses() async throws {
        try await withTunnel(echoes: true) { tunnel in
            let client = try await TunnelEnd.connect(to: tunnel.port)
            client.send(100)
            try await eventually("the echo") { client.progress.received == 100 }
            let server = try await serverEnd()
            client.close()
            for end in [client, server] { try await eventually("its end") { end.progress.isOver } }
            #expect(failures.value.isEmpty)
        }
    }

    @Test("A client keeps its end when the server closes; what it sends then is dropped")
    func serverCloses() async throws {
        try await withTunnel(echoes: true) { tunnel in
            let client = try await TunnelEnd.connect(to: tunnel.port)
            client.send(100)
            try await eventually("the echo") { client.progress.received == 100 }
            let server = try await serverEnd()
            server.close()
            try await eventually("the server's end") { server.progress.isOver }
            // More than any socket holds.
            for _ in 1...64 { client.send(1 << 20) }
            let next = try await TunnelEnd.connect(to: tunnel.port)
            next.send(1)
            try await eventually("another connection works") { next.progress.received == 1 }
            #expect(!client.progress.isOver && client.progress.received == 100)
            tunnel.close()
            try await eventually("the end with the tunnel") { client.progress.isOver }
            #expect(failures.value.isEmpty)
        }
    }

    @Test("A server that closes before it has sent anything closes the client's end")
    func serverClosesAtOnce() async throws {
        try await withTunnel(echoes: false) { tunnel in
            let client = try await TunnelEnd.connect(to: tunnel.port)
            client.send(100)
            try await serverEnd().close()
            try await eventually("its end") { client.progress.isOver }
        }
    }

    @Test("Closing the tunnel ends all its connections and stops listening")
    func close() async throws {
        try await withTunnel(echoes: true) { tunnel in
            var clients: [TunnelEnd] = []
            for _ in 1...3 {
                let client = try await TunnelEnd.connect(to: tunnel.port)
                client.send(1)
                try await eventually("the echo") { client.progress.received == 1 }
                clients.append(client)
            }
            tunnel.close()
            for end in clients + accepted.value { try await eventually("its end") { end.progress.isOver } }
            try await eventually("nobody listens") {
                guard let late = try? await TunnelEnd.connect(to: tunnel.port) else { return true }
                late.close()
                return false
            }
            tunnel.close()
        }
    }
}
