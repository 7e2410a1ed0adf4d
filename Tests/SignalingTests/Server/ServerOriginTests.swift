import SignalingServer
import Testing

/// Which pages of browsers reach the server: a page of another origin must not, and neither must one whose name was made to
/// lead to this machine (DNS rebinding).
@Suite(.timeLimit(.minutes(2)))
struct ServerOriginTests {
    @Test(
        "A page connects when it is this server's own, or its origin is allowed",
        arguments: [
            // No browser: whatever name it went by.
            ("calls.example.org", nil, 101), ("evil.example.org", nil, 101),
            // By a name of this machine, or one that is allowed.
            ("localhost:8080", "http://localhost:8080", 101), ("127.0.0.1", "http://127.0.0.1", 101),
            ("[::1]:80", "http://[::1]:80", 101), ("calls.example.org:8080", "http://calls.example.org:8080", 101),
            ("Calls.Example.ORG:8080", "HTTPS://calls.example.org:8080", 101),
            // Its own name, which leads here: the page is the attacker's.
            ("evil.example.org:8080", "http://evil.example.org:8080", 421), ("192.0.2.1", "http://192.0.2.1", 421),
            // Another page.
            ("localhost:8080", "http://evil.example.org", 403), ("localhost:8080", "http://localhost", 403),
            ("localhost", "null", 403), ("localhost", "", 403),
            // A page that is trusted by itself may have come by any name.
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
        "Page and metrics are for requests by a name of this server only; how it is may be asked by any",
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

    @Test("A server on all addresses goes by the one that a client reached, and by no name")
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
        "What is no host is refused at the start",
        arguments: [
            "", "calls.example.org:80", "https://calls.example.org", "a/b", "a b", "*", "[::1", "ä.org",
            "*.example.org",
        ])
    func noHost(text: String) async {
        var configuration = SignalingServerConfiguration(port: 0)
        configuration.allowedHosts = [text]
        await #expect(throws: SignalingServerError.self) {
            try await SignalingServer.start(configuration: configuration, logger: quietLogger)
        }
    }

    @Test(
        "What is no origin is refused at the start",
        arguments: ["", "calls.example.org", "https://", "https://a/b", "https://a b", "https://*.org", "file://x"])
    func noOrigin(text: String) async {
        var configuration = SignalingServerConfiguration(port: 0)
        configuration.allowedOrigins = [text]
        await #expect(throws: SignalingServerError.self) {
            try await SignalingServer.start(configuration: configuration, logger: quietLogger)
        }
    }

    private func upgrade(host: String, fields: String, _ port: Int) async throws -> String {
        let client = try await RawClient.open(port: port)
        try await client.upgrade(host: host, fields: fields)
        return client.response
    }
}
