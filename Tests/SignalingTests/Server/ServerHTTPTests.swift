import SignalingServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerHTTPTests {
    @Test func theServerSaysThatItIsWell() async throws {
        try await withServer { server in
            let answer = try await RawClient.answer("GET /healthz?x=1", port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\nok\n"))
            #expect(try await RawClient.answer("HEAD /healthz", port: server.port).hasSuffix("\r\n\r\n"))
            #expect(try await RawClient.answer("POST /healthz", port: server.port).hasPrefix("HTTP/1.1 405 "))
            #expect(try await RawClient.answer("GET /", port: server.port).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func theMetricsCountWhatHappened() async throws {
        try await withServer { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let bob = try await RawClient.signedIn("bob", device: "tv", port: server.port)
            _ = try await RawClient.signedIn("bob", device: "phone", port: server.port)
            try await alice.send(callMessage("invite", from: "alice", to: "bob"))
            _ = try await bob.text()
            try await alice.send(callMessage(from: "alice", to: "nobody"))
            _ = try await alice.text()
            let answer = try await RawClient.answer("GET /metrics", port: server.port)
            #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
            let body = try #require(answer.firstRange(of: "\r\n\r\n"))
            let samples = try PrometheusSamples(String(answer[body.upperBound...]))
            #expect(samples["callagent_signaling_signed_in_users"] == 2)
            #expect((samples["callagent_signaling_signed_in_devices"] ?? 0) >= 2)
            #expect(samples["callagent_signaling_calls"] == 1)
            #expect(samples[#"callagent_signaling_messages_routed_total{type="invite"}"#] == 1)
            #expect(samples[#"callagent_signaling_errors_total{code="404"}"#] == 1)
            #expect((samples["callagent_signaling_received_bytes_total"] ?? 0) > 100)
        }
    }

    @Test func aServerThatStopsSaysSoUntilItsClientsAreGone() async throws {
        let server = try await Server.start(configuration: .init(port: 0), logger: quietLogger)
        let alice = try await RawClient.signedIn("alice", port: server.port)
        async let stopped: Void = server.shutdown(grace: .seconds(20))
        let frame = try #require(try await alice.frame())
        #expect(frame.closeCode == 1001)
        let health = try await RawClient.answer("GET /healthz", port: server.port)
        #expect(health.hasPrefix("HTTP/1.1 503 ") && health.hasSuffix("the server stops\n"))
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        let refused = try await RawClient.answer(
            "GET /", fields: upgrade + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", port: server.port)
        #expect(refused.hasPrefix("HTTP/1.1 503 "))
        try await alice.send(opcode: 8, [0x03, 0xE9])
        await stopped
        await #expect(throws: (any Error).self) { try await RawClient.open(port: server.port) }
    }

    @Test func whatWasSentBeforeTheStopArrives() async throws {
        var configuration = ServerConfiguration(port: 0)
        configuration.pendingBytes = 64_000_000
        configuration.silenceTimeout = .seconds(120)
        let server = try await Server.start(configuration: configuration, logger: quietLogger)
        let alice = try await RawClient.signedIn("alice", port: server.port)
        let slow = try await RawClient.signedIn("slow", port: server.port)
        try await slow.read(false)
        let filler = String(repeating: "z", count: 60_000)
        for number in 0..<200 {
            try await alice.send(callMessage(id: "m\(number)", from: "alice", to: "slow", extra: #","x":"\#(filler)""#))
        }
        // The answer shows that the server has read all data before it.
        try await alice.send(callMessage(from: "alice", to: "nobody"))
        #expect(try await alice.text().contains(#""code":404"#))
        async let stopped: Void = server.shutdown(grace: .seconds(20))
        #expect(try await alice.closeCode() == 1001)
        try await slow.read(true)
        for number in 0..<200 { try #require(try await slow.text().contains("\"m\(number)\"")) }
        #expect(try await slow.closeCode() == 1001)
        await stopped
    }
}
