import SignalingServer
import Testing

/// Clients behind a proxy: the address that the limits count, and the rights of this machine.
@Suite(.timeLimit(.minutes(2)))
struct ServerProxyTests {
    @Test(
        "Behind a trusted proxy limits count the client's own address, with IPv6 its /64",
        arguments: [
            (["198.51.100.1", "198.51.100.1"], "198.51.100.1", "198.51.100.2"),
            (["2001:db8:0:1::1", "2001:db8:0:1::2"], "2001:db8:0:1:ffff::", "2001:db8:0:2::1"),
            (["198.51.100.1", "::ffff:198.51.100.1"], "198.51.100.1", "::ffff:198.51.100.2"),
        ])
    func limits(two: [String], third: String, other: String) async throws {
        try await withServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.connectionsPerAddress = 2
        } _: { server in
            func connect(_ address: String) async throws -> RawClient {
                try await RawClient.connect(port: server.port, fields: "X-Forwarded-For: 127.0.0.1, \(address)\r\n")
            }
            let first = try await connect(two[0])
            let second = try await connect(two[1])
            let refused = try await RawClient.open(port: server.port)
            try await refused.upgrade(fields: "X-Forwarded-For: \(third)\r\n")
            #expect(refused.response.hasPrefix("HTTP/1.1 429 "))
            let plain = try await RawClient.answer(
                "GET /healthz", fields: "X-Forwarded-For: \(third)\r\n", port: server.port)
            #expect(plain.hasPrefix("HTTP/1.1 429 "))
            _ = try await connect(other)
            await second.close()
            // There is room as soon as the server has noticed the close.
            while true {
                let next = try await RawClient.open(port: server.port)
                try await next.upgrade(fields: "X-Forwarded-For: \(third)\r\n")
                if next.response.hasPrefix("HTTP/1.1 101") { break }
            }
            try await first.send(RawClient.signIn("alice"))
            #expect(try await first.text().contains("signedIn"))
        }
    }

    @Test("Clients of an untrusted proxy on this machine are not exempt from limits")
    func unnamed() async throws {
        try await withServer {
            $0.connectionsPerAddress = 1
        } _: { server in
            let first = try await RawClient.connect(port: server.port, fields: "X-Forwarded-For: 198.51.100.1\r\n")
            let refused = try await RawClient.open(port: server.port)
            try await refused.upgrade(fields: "X-Forwarded-For: 198.51.100.2\r\n")
            #expect(refused.response.hasPrefix("HTTP/1.1 429 "))
            // A direct client of this machine is exempt.
            _ = try await RawClient.signedIn("alice", port: server.port)
            _ = try await RawClient.signedIn("bob", port: server.port)
            try await first.send(RawClient.signIn("carol"))
            #expect(try await first.text().contains("signedIn"))
        }
    }

    @Test(
        "A request through a proxy gets no metrics, with any proxy address and headers",
        arguments: [
            ("127.0.0.1", "X-Forwarded-For: 127.0.0.1\r\n", 403), ("127.0.0.1", "", 403),
            ("192.0.2.1", "X-Forwarded-For: 127.0.0.1\r\n", 403), ("192.0.2.1", "Forwarded: for=127.0.0.1\r\n", 403),
            ("192.0.2.1", "Via: 1.1 proxy\r\n", 403), ("192.0.2.1", "", 200),
        ])
    func metrics(proxy: String, fields: String, status: Int) async throws {
        try await withServer {
            $0.trustedProxies = [proxy]
        } _: { server in
            let answer = try await RawClient.answer("GET /metrics", fields: fields, port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test(
        "An invalid proxy address is refused at the start",
        arguments: ["", "proxy.example.org", "10.0.0.0/33", "127.0.0.1:80"])
    func noProxy(text: String) async {
        var configuration = ServerConfiguration(port: 0)
        configuration.trustedProxies = [text]
        await #expect(throws: ServerError.self) {
            try await Server.start(configuration: configuration, logger: quietLogger)
        }
    }
}
