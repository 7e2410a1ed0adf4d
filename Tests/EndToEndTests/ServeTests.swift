import Foundation
import Testing

extension EndToEnd {
    /// The options of `callagent serve`, and what it prints.
    @Suite struct ServeTests {
        private let folder = Folder()
        private let secret = "a secret of more than thirty-two bytes, for tests"

        @Test("The text says where the server and its page are, and who may sign in", arguments: [false, true])
        func text(hasKey: Bool) async throws {
            let key = hasKey ? ["--token-key-file", try folder.write(secret, "server.key")] : []
            let server = try Program(["serve", "--listen", "127.0.0.1:0"] + key)
            try await eventually("three lines") { server.lines.count == 3 }
            let port = try #require(server.lines[0].firstMatch(of: /^signaling at ws:\/\/127.0.0.1:(\d+)$/)).output.1
            #expect(server.lines[1] == "page at http://127.0.0.1:\(port)/")
            #expect(
                server.lines[2]
                    == (hasKey ? "users sign in with a token" : "anybody may sign in with any name that is free"))
            server.signal(SIGINT)
            #expect(try await server.waitForExit() == 130)
        }

        @Test("The page is served under the names of --allow-host, and not under others")
        func hosts() async throws {
            let (server, port) = try await serve(["--allow-host", "calls.example.org"])
            #expect(try await status("/", host: "calls.example.org", port) == 200)
            #expect(try await status("/", host: "localhost", port) == 200)
            #expect(try await status("/", host: "evil.example.org", port) == 421)
            server.signal(SIGINT)
        }

        @Test("A --trusted-proxy is not this machine's own client: it gets no metrics")
        func proxy() async throws {
            for (options, expected) in [([], 200), (["--trusted-proxy", "127.0.0.0/8"], 403)] as [([String], Int)] {
                let (server, port) = try await serve(options)
                #expect(try await status("/metrics", host: "localhost", port) == expected, "\(options)")
                server.signal(SIGINT)
            }
        }

        @Test("Tokens need the audience and the issuer that the server requires")
        func claims() async throws {
            let key = try folder.write(secret, "server.key")
            let (server, port) = try await serve([
                "--token-key-file", key, "--token-audience", "calls", "--token-issuer", "shop",
            ])
            for (options, text) in [
                (["--audience", "calls"], "the token is of another issuer"),
                (["--issuer", "shop"], "the token is for another audience"),
                (["--audience", "else", "--issuer", "shop"], "the token is for another audience"),
            ] {
                let bob = try await listen("bob", port, options)
                #expect(try await bob.waitForExit() == 3)
                #expect(bob.errors.contains(text), "\(options): \(bob.errors)")
            }
            let bob = try await listen("bob", port, ["--audience", "calls", "--issuer", "shop"])
            try await eventually("bob listens: \(bob.errors)") { bob.hasEvent(["event": "listening"]) }
            bob.signal(SIGINT)
            server.signal(SIGINT)
        }

        @Test("Users of --deny-list may not sign in, and lose their connection when the list names them later")
        func denied() async throws {
            let list = try folder.write("sub eve\n", "denied.txt")
            let (server, port) = try await serve([
                "--token-key-file", try folder.write(secret, "server.key"), "--deny-list", list,
            ])
            let eve = try await listen("eve", port)
            #expect(try await eve.waitForExit() == 3)
            #expect(eve.errors.contains("the token was denied"), "\(eve.errors)")
            let bob = try await listen("bob", port)
            try await eventually("bob listens: \(bob.errors)") { bob.hasEvent(["event": "listening"]) }
            _ = try folder.write("sub eve\nsub bob\n", "denied.txt")
            try await eventually("bob is out: \(bob.output)") {
                bob.events.contains { ($0["text"] as? String)?.contains("the token was denied") == true }
            }
            bob.signal(SIGINT)
            server.signal(SIGINT)
        }

        private func serve(_ options: [String]) async throws -> (Program, port: Int) {
            let server = try Program(["serve", "--listen", "127.0.0.1:0", "--events"] + options)
            try await eventually("the server listens: \(server.errors)") { server.hasEvent(["event": "serving"]) }
            let url = try #require(server.events.first).text("url")
            return (server, try #require(URLComponents(string: url)?.port))
        }

        /// Listens as `user`, with a token that `callagent token` makes with these options.
        private func listen(_ user: String, _ port: Int, _ options: [String] = []) async throws -> Program {
            let token = try Program(["token", "--key-file", folder.path("server.key"), "--user", user] + options)
            #expect(try await token.waitForExit() == 0, "\(token.errors)")
            return try Program([
                "listen", "--as", user, "--signaling", "ws://127.0.0.1:\(port)", "--ice-interface", "127.0.0.1",
                "--events", "--token", String(try #require(token.lines.first)),
            ])
        }

        /// The status of a request with this host name.
        private func status(_ path: String, host: String, _ port: Int) async throws -> Int? {
            let request = "GET \(path) HTTP/1.1\\r\\nHost: \(host)\\r\\nConnection: close\\r\\n\\r\\n"
            let client = try Program(
                ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port) && printf '\(request)' >&3 && head -n 1 <&3"],
                path: "/bin/bash")
            #expect(try await client.waitForExit() == 0, "\(client.errors)")
            return client.output.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
    }
}
