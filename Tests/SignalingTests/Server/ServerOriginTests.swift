import SignalingServer
import Testing

/// Which web pages may connect to the server.
///
/// A page of another origin must not, and neither must a page whose host name resolves to this machine (DNS rebinding).
@Suite(.timeLimit(.minutes(2)))
struct ServerOriginTests {
    @Test(
        "Only the server's own page and pages of an allowed origin connect",
        arguments: [
            // Not a browser: every host name is accepted.
            ("calls.example.org", nil, 101), ("evil.example.org", nil, 101),
            // With a name of this machine or an allowed name.
            ("localhost:8080", "http://localhost:8080", 101), ("127.0.0.1", "http://127.0.0.1", 101),
            ("[::1]:80", "http://[::1]:80", 101), ("calls.example.org:8080", "http://calls.example.org:8080", 101),
            ("Calls.Example.ORG:8080", "HTTPS://calls.example.org:8080", 101),
            // With the name of an attacker's page, which resolves to this machine.
            ("evil.example.org:8080", "http://evil.example.org:8080", 421), ("192.0.2.1", "http://192.0.2.1", 421),
            // A page of another origin.
            ("localhost:8080", "http://evil.example.org", 403), ("localhost:8080", "http://localhost", 403),
            ("localhost", "null", 403), ("localhost", "", 403),
            // A page with an allowed origin may use any host name.
            ("evil.example.org", "https://trusted.example.org", 101),
        ])
    func pages(host: String, origin: String?, status: Int) async throws {
        try await withServer {
            $0.allowedOrigins = ["https://trusted.example.org"]
            $0.allowedHosts = ["calls.example.org"]
        } _: { server in
            let field = origin.map { "Origin: \($0)\r\n" } ?? ""
            let answer = try await upgrade(host: host, fields: field, server.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        }
    }

    @Test(
        "Page and metrics need a host name of this server; the health check does not",
        arguments: ["/", "/callagent.js", "/metrics", "/nothing"])
    func requests(path: String) async throws {
        try await withServer { server in
            for (host, isOwn) in [
                ("localhost:1", true), ("a.localhost", true), ("127.1.2.3:99", true), ("[::1]", true),
                ("evil.example.org", false),
                ("localhost.evil.example.org", false), ("127.0.0.1.evil.example.org", false), ("0.0.0.0", false),
                ("", false),
                ("localhost:x", false), ("[::1", false), ("@localhost", false),
            ] {
                let answer = try await RawClient.answer("GET \(path)", host: host, port: server.port)
                #expect(answer.hasPrefix("HTTP/1.1 421 ") == !isOwn, "\(host) \(answer.prefix(40))")
                #expect(isOwn || answer.contains("--allow-host"))
                #expect(try await RawClient.answer("GET /healthz", host: host, port: server.port).contains(" 200 OK"))
            }
        }
    }

    @Test("A server on all addresses accepts only the IP address that the client connected to as host name")
    func allAddresses() async throws {
        try await withServer {
            $0.host = "0.0.0.0"
        } _: { server in
            for (host, status) in [("127.0.0.1", 101), ("192.0.2.1", 421), ("build.example.org", 421)] {
                let answer = try await upgrade(host: host, fields: "Origin: http://\(host)\r\n", server.port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host)")
            }
        }
    }

    @Test(
        "An invalid host name is refused at the start",
        arguments: [
            "", "calls.example.org:80", "https://calls.example.org", "a/b", "a b", "*", "[::1", "ä.org",
            "*.example.org",
        ])
    func noHost(text: String) async {
        var configuration = ServerConfiguration(port: 0)
        configuration.allowedHosts = [text]
        await #expect(throws: ServerError.self) {
            try await Server.start(configuration: configuration, logger: quietLogger)
        }
    }

    @Test(
        "An invalid origin is refused at the start",
        arguments: ["", "calls.example.org", "https://", "https://a/b", "https://a b", "https://*.org", "file://x"])
    func noOrigin(text: String) async {
        var configuration = ServerConfiguration(port: 0)
        configuration.allowedOrigins = [text]
        await #expect(throws: ServerError.self) {
            try await Server.start(configuration: configuration, logger: quietLogger)
        }
    }

    private func upgrade(host: String, fields: String, _ port: Int) async throws -> String {
        let client = try await RawClient.open(port: port)
        try await client.upgrade(host: host, fields: fields)
        return client.response
    }
}
