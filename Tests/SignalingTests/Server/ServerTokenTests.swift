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
            // The last one counts, though it ends before the others.
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

    @Test(arguments: ["/nonexistent/key", nil])
    func aServerWithoutItsKeyDoesNotStart(file: String?) async throws {
        let short = try TemporaryFile("short")
        var configuration = SignalingServerConfiguration(port: 0)
        configuration.tokenKeyFiles = [file ?? short.path]
        await #expect {
            try await SignalingServer.start(configuration: configuration, logger: quietLogger)
        } throws: { error in "\(error)".contains("cannot use the file \(file ?? short.path): ") }
    }
}

/// Runs `body` with a server that wants tokens of ``TestToken`` and warns late.
func withTokenServer(
    _ configure: (inout SignalingServerConfiguration) -> Void = { _ in }, _ body: (SignalingServer) async throws -> Void
) async throws {
    let file = try TestToken.keyFile()
    try await withServer {
        $0.tokenKeyFiles = [file.path]
        $0.tokenWarning = .milliseconds(700)
        configure(&$0)
    } _: {
        try await body($0)
    }
}
