import Foundation
import Logging
import SignalingServer
import TestServers
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerTokenTests {
    @Test func onlyAGoodTokenSignsIn() async throws {
        try await withTokenServer { server in
            for (token, code) in [
                (nil, 401), ("", 401), ("x.y.z", 403), (TestToken.good("bob"), 403),
                (TestToken.good("alice", seconds: -1), 410), (String(repeating: "a", count: 5_000), 403),
            ] {
                let client = try await RawClient.connect(port: server.port)
                try await client.send(RawClient.signIn("alice", token: token))
                let answer = try await client.text()
                #expect(answer.hasPrefix(#"{"v":1,"type":"refused","code":\#(code),"text":""#), "\(answer)")
                #expect(try await client.closeCode() == 1008)
            }
            let client = try await RawClient.connect(port: server.port)
            try await client.send(RawClient.signIn("alice", token: TestToken.good("alice")))
            #expect(try await client.text().contains(#","tokenExpiresInMs":3"#))
        }
    }

    @Test func aTokenIsWarnedOfAndEndsItsConnection() async throws {
        try await withTokenServer { server in
            let client = try await RawClient.signedIn(
                "alice", token: TestToken.good("alice", seconds: 2), port: server.port)
            #expect(try await client.text().hasPrefix(#"{"v":1,"type":"tokenWillExpire","inMs":"#))
            let frame = try #require(try await client.frame())
            #expect(frame.closeCode == 1008 && frame.text.hasSuffix("the token expired"))
        }
    }

    @Test func aTokenIsRenewedAsOftenAsNeeded() async throws {
        try await withTokenServer { server in
            let client = try await RawClient.signedIn("alice", token: TestToken.good("alice"), port: server.port)
            for (user, seconds, answer) in [
                ("bob", 60.0, #"{"v":1,"type":"renewalRefused","code":403,"#),
                ("alice", -1, #"{"v":1,"type":"renewalRefused","code":410,"#),
                ("alice", 7_200, #"{"v":1,"type":"renewed","tokenExpiresInMs":7"#),
                ("alice", 2, #"{"v":1,"type":"renewed","tokenExpiresInMs":"#),
            ] {
                let token = TestToken.good(user, seconds: seconds)
                try await client.send(#"{"v":1,"type":"renew","token":"\#(token)"}"#)
                try #require(try await client.text().hasPrefix(answer))
            }
            // The last token counts, although it expires before the others.
            #expect(try await client.text().contains("tokenWillExpire"))
            #expect(try await client.closeCode() == 1008)
        }
    }

    @Test func aGuestCallsWhomItsTokenNames() async throws {
        try await withTokenServer { server in
            let bob = try await RawClient.signedIn("bob", token: TestToken.good("bob"), port: server.port)
            let guest = try await RawClient.signedIn(
                "guest", token: TestToken.anonymous("guest", mayCall: ["bob"]), port: server.port)
            try await guest.send(callMessage("invite", from: "guest", to: "carol"))
            #expect(try await guest.text().contains(#""code":403"#))
            try await guest.send(callMessage("invite", from: "guest", to: "bob"))
            #expect(try await bob.text().contains("invite"))
            try await bob.send(callMessage("accept", from: "bob", to: "guest"))
            #expect(try await guest.text().contains("accept"))
            try await bob.send(callMessage("invite", call: "other", from: "bob", to: "guest"))
            #expect(try await bob.text().contains(#""code":404"#))
        }
    }

    @Test func aDenyListIsReadAgainWhenItChanges() async throws {
        let path = NSTemporaryDirectory() + "callagent-deny-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) }
        func signIn(_ user: String, _ identifier: String, _ server: Server) async throws -> (RawClient, String) {
            let client = try await RawClient.connect(port: server.port)
            let token = TestToken.good(user, extra: #","jti":"\#(identifier)""#)
            try await client.send(RawClient.signIn(user, token: token))
            return (client, try await client.text())
        }
        try write("jti lost\n")
        try await withTokenServer {
            $0.denyListFile = path
        } _: { server in
            #expect(
                try await signIn("alice", "lost", server).1.contains(
                    #""refused","code":403,"text":"the token was denied""#))
            let (alice, answer) = try await signIn("alice", "new", server)
            #expect(answer.contains("signedIn"))
            let (bob, _) = try await signIn("bob", "b1", server)
            try await bob.send(callMessage("invite", from: "bob", to: "alice"))
            _ = try await alice.text()
            // An invalid file changes nothing; a valid one is used soon.
            try write("nonsense")
            try write("sub bob\n")
            let frame = try #require(try await bob.frame())
            #expect(frame.closeCode == 1008 && frame.text.hasSuffix("the token was denied"))
            #expect(try await alice.text().contains(#""type":"gone""#))
            #expect(try await signIn("bob", "b2", server).1.contains(#""code":403"#))
            try FileManager.default.removeItem(atPath: path)
            #expect(try await signIn("bob", "b2", server).1.contains(#""code":403"#))
            try write("")
            while try await !signIn("bob", "b2", server).1.contains("signedIn") {}
        }
    }

    @Test(
        "Invalid token settings are refused at the start",
        arguments: ["tokenAudience", "tokenIssuer", "denyListFile", "audience text", "deny list text"])
    func wrongConfiguration(field: String) async throws {
        let (key, malformed) = (try TestToken.keyFile(), try TemporaryFile("sub a b"))
        var configuration = ServerConfiguration(port: 0)
        switch field {
        case "tokenAudience": configuration.tokenAudience = "calls"
        case "tokenIssuer": configuration.tokenIssuer = "shop"
        case "denyListFile": configuration.denyListFile = malformed.path
        case "audience text": (configuration.tokenKeyFiles, configuration.tokenAudience) = ([key.path], "")
        default: (configuration.tokenKeyFiles, configuration.denyListFile) = ([key.path], malformed.path)
        }
        await #expect(throws: ServerError.self) {
            try await Server.start(configuration: configuration, logger: quietLogger)
        }
    }

    @Test(arguments: ["/nonexistent/key", nil])
    func aServerWithoutItsKeyDoesNotStart(file: String?) async throws {
        let short = try TemporaryFile("short")
        var configuration = ServerConfiguration(port: 0)
        configuration.tokenKeyFiles = [file ?? short.path]
        await #expect {
            try await Server.start(configuration: configuration, logger: quietLogger)
        } throws: { error in "\(error)".contains("cannot use the file \(file ?? short.path): ") }
    }
}

/// Runs `body` with a server that requires tokens of ``TestToken`` and warns late.
func withTokenServer(
    logger: Logger = quietLogger, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (Server) async throws -> Void
) async throws {
    let file = try TestToken.keyFile()
    try await withServer(logger: logger) {
        $0.tokenKeyFiles = [file.path]
        $0.tokenWarning = .milliseconds(700)
        configure(&$0)
    } _: {
        try await body($0)
    }
}
