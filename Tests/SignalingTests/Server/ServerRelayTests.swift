import SignalingServer
import Synchronization
import Testing

/// What waits at a broker that takes nothing.
@Suite(.timeLimit(.minutes(2)))
struct ServerRelayTests {
    private func message(_ sender: String, bytes: Int) -> String {
        callMessage(from: sender, to: "bob", extra: #","x":""# + String(repeating: "x", count: bytes) + #"""#)
    }

    private func signedIn(_ user: String, _ server: Server, _ relay: FakeRelay) async throws -> (
        client: RawClient, seat: FakeRelay.Seat
    ) {
        let client = try await RawClient.signedIn(user, port: server.port)
        return (client, try #require(try await relay.seats.next()))
    }

    /// The code of the close frame for a client that the relay does not take.
    private func refusedCode(_ server: Server) async throws -> Int? {
        let client = try await RawClient.connect(port: server.port)
        try await client.send(RawClient.signIn("alice", device: nil, token: nil))
        return try await client.closeCode()
    }

    private func waits(_ bytes: ClosedRange<Double>, _ server: Server) async throws {
        try await eventually {
            bytes.contains(try await PrometheusSamples(port: server.port)["callagent_signaling_pending_bytes"] ?? -1)
        }
    }

    @Test func whoSendsMoreThanMayWaitForTheRelayIsClosed() async throws {
        let relay = FakeRelay()
        try await withServer(relay: relay) {
            $0.pendingBytes = 100_000
        } _: { server in
            let (alice, seat) = try await signedIn("alice", server, relay)
            try await alice.send(message("alice", bytes: 60_000))
            let first = try #require(try await seat.sent.next())
            try await waits(60_000...61_000, server)
            // What was passed on waits no more.
            first.taken()
            try await waits(0...0, server)
            try await alice.send(message("alice", bytes: 60_000))
            let second = try #require(try await seat.sent.next())
            try await alice.send(message("alice", bytes: 60_000))
            let end = try #require(try await alice.frames.next())
            #expect(end.closeCode == 1008 && end.text.hasSuffix("too many messages wait for the broker"))
            // Its messages count no more, and what the relay says of them later does not matter.
            try await waits(0...0, server)
            second.taken()
            #expect(try await seat.sent.next() == nil)
            try await waits(0...0, server)
        }
    }

    @Test func theServerIsUnwellWhileTheRelayTakesNobody() async throws {
        let relay = FakeRelay()
        try await withServer(relay: relay) { server in
            func health() async throws -> String { try await RawClient.answer("GET /healthz", port: server.port) }
            #expect(try await health().hasSuffix("ok\n"))
            // It has taken a client, but refuses this one.
            relay.fault.withLock { $0 = .refused(code: 403, text: "no") }
            #expect(try await refusedCode(server) == 1008)
            #expect(try await health().hasSuffix("ok\n"))
            relay.fault.withLock { $0 = .unreachable(text: "gone") }
            #expect(try await refusedCode(server) == 1008)
            #expect(try await health().hasPrefix("HTTP/1.1 503 "))
            relay.fault.withLock { $0 = nil }
            let alice = try await signedIn("alice", server, relay)
            #expect(try await health().hasSuffix("ok\n"))
            // One client that it does not take does not make the server useless for all.
            relay.fault.withLock { $0 = .unreachable(text: "gone") }
            #expect(try await refusedCode(server) == 1008)
            #expect(try await health().hasSuffix("ok\n"))
            withExtendedLifetime(alice) {}
        }
    }

    @Test func tooManyShortMessagesAreTooMuch() async throws {
        let relay = FakeRelay()
        try await withServer(relay: relay) {
            ($0.messagesPerSecond, $0.messageBurst) = (10_000, 10_000)
        } _: { server in
            let (alice, _) = try await signedIn("alice", server, relay)
            let text = RawClient.bytes(opcode: 1, Array(message("alice", bytes: 0).utf8))
            try await alice.send(bytes: (0..<1_024).flatMap { _ in text })
            try await waits(Double(1_024 * message("alice", bytes: 0).utf8.count)...200_000, server)
            try await alice.send(bytes: text)
            #expect(try await alice.closeCode() == 1008)
        }
    }

    @Test func whatWaitsAtTheRelayCountsInTheLimitForAll() async throws {
        let relay = FakeRelay()
        try await withServer(relay: relay) {
            ($0.pendingBytes, $0.pendingBytesInAll) = (100_000, 150_000)
        } _: { server in
            let (alice, _) = try await signedIn("alice", server, relay)
            let (carol, _) = try await signedIn("carol", server, relay)
            let (dave, seat) = try await signedIn("dave", server, relay)
            try await alice.send(message("alice", bytes: 60_000))
            try await carol.send(message("carol", bytes: 64_000))
            try await waits(124_000...126_000, server)
            try await dave.send(message("dave", bytes: 40_000))
            #expect(try await carol.closeCode() == 1008)
            try await waits(100_000...101_000, server)
            #expect(try await seat.sent.next() != nil)
            try await dave.send(message("dave", bytes: 10))
            #expect(try await seat.sent.next() != nil)
        }
    }
}
