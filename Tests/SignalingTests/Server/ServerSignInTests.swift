import SignalingServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerSignInTests {
    @Test func aUserSignsInAndIsToldSo() async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(RawClient.signIn("alice"))
            let answer = try await client.text()
            #expect(answer.hasPrefix(#"{"v":1,"type":"signedIn","user":"alice","device":"main","unixMs":1"#))
            #expect(answer.contains(#","resume":""#))
        }
    }

    @Test func anyPathWillDo() async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port, path: "/some/where?x=1")
            try await client.send(RawClient.signIn("alice"))
            #expect(try await client.text().contains("signedIn"))
        }
    }

    @Test func theSignInIgnoresUnknownFields() async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(#"{"token":{"a":[1]},"v":1,"type":"signIn","user":"alice","v2":null}"#)
            #expect(try await client.text().contains("signedIn"))
        }
    }

    @Test func aTakenNameIsRefusedWith409AndTheOwnerKeepsIt() async throws {
        try await withServer { server in
            let owner = try await RawClient.signedIn("alice", port: server.port)
            let other = try await RawClient.connect(port: server.port)
            try await other.send(RawClient.signIn("alice"))
            try await expectRefusal(409, other)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            try await owner.send(callMessage(from: "alice", to: "bob"))
            #expect(try await bob.text() == callMessage(from: "alice", to: "bob"))
        }
    }

    @Test(arguments: [
        "", "a b", "alice/x", "ä", String(repeating: "a", count: 65), #"a\"b"#, #"a\u0000"#, #"a\n"#,
    ])
    func aMalformedNameIsRefusedWith400(name: String) async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(RawClient.signIn(name))
            try await expectRefusal(400, client)
        }
    }

    @Test func aNameOf64OfTheAllowedCharactersIsTaken() async throws {
        try await withServer { server in
            _ = try await RawClient.signedIn("aZ09._-@+:" + String(repeating: "x", count: 54), port: server.port)
        }
    }

    @Test(arguments: [
        "garbage", "", "[]", "1", "null", "{}", #"{"v":1}"#, #"{"v":1,"type":"signIn"}"#,
        #"{"v":1,"type":"signIn","user":7}"#, #"{"v":"1","type":"signIn","user":"alice"}"#,
        #"{"type":"signIn","user":"alice"}"#, #"{"v":1,"type":"signOn","user":"alice"}"#,
        #"{"v":1,"type":"signIn","user":"alice""#, #"{"v":1,"type":"signIn","user":"alice","user":"bob"}"#,
        callMessage(from: "alice", to: "bob"),
    ])
    func aFirstMessageThatIsNoSignInIsRefusedWith400(text: String) async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(text)
            try await expectRefusal(400, client)
        }
    }

    @Test(arguments: ["0", "2", "1.5", "-1", "1e9"])
    func anotherVersionIsRefusedWith426(version: String) async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(#"{"v":\#(version),"type":"signIn","user":"alice"}"#)
            try await expectRefusal(426, client)
        }
    }

    @Test func aClientThatDoesNotSignInInTimeIsRefusedWith408() async throws {
        try await withServer {
            $0.signInTimeout = .milliseconds(2_000)
        } _: { server in
            let client = try await RawClient.connect(port: server.port)
            try await expectRefusal(408, client)
        }
    }

    @Test func aClientThatSignedInIsNotTimedOut() async throws {
        try await withServer {
            $0.signInTimeout = .milliseconds(2_000)
        } _: { server in
            let early = try await RawClient.signedIn("alice", port: server.port)
            // The refusal of a second client shows that the timeout of the first one has passed too.
            let late = try await RawClient.connect(port: server.port)
            try await expectRefusal(408, late)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            try await early.send(callMessage(from: "alice", to: "bob"))
            #expect(try await bob.text().contains("ringing"))
        }
    }

    @Test func aSocketThatNeverUpgradesIsClosed() async throws {
        try await withServer {
            $0.signInTimeout = .milliseconds(50)
        } _: { server in
            let silent = try await RawClient.open(port: server.port)
            try await silent.end()
            let slow = try await RawClient.open(port: server.port)
            // If this is sent too late, it is refused, which is also correct.
            try? await slow.send(bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\n".utf8))
            try await slow.end()
        }
    }

    @Test func aSecondSignInIsAnsweredAsAMalformedMessage() async throws {
        try await withServer { server in
            let client = try await RawClient.signedIn("alice", port: server.port)
            try await client.send(RawClient.signIn("bob"))
            let answer = try await client.text()
            #expect(answer.contains(#""type":"error""#) && answer.contains(#""code":400"#))
            let bob = try await RawClient.signedIn("bob", port: server.port)
            try await client.send(callMessage(from: "alice", to: "bob"))
            #expect(try await bob.text().contains("ringing"))
        }
    }

    @Test func whatARefusedClientSendsIsDropped() async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send("garbage")
            try await client.send(RawClient.signIn("alice"))
            try await expectRefusal(400, client)
            _ = try await RawClient.signedIn("alice", port: server.port)
        }
    }

    @Test func aNameIsFreeAgainWhenItsConnectionIsClosed() async throws {
        try await withServer { server in
            let first = try await RawClient.signedIn("alice", port: server.port)
            try await first.send(opcode: 8, [0x03, 0xE8])
            try await first.end()
            _ = try await RawClient.signedIn("alice", port: server.port)
        }
    }

    private func expectRefusal(_ code: Int, _ client: RawClient) async throws {
        let answer = try await client.text()
        #expect(answer.hasPrefix(#"{"v":1,"type":"refused","code":\#(code),"text":""#), "\(answer)")
        #expect(try await client.closeCode() == 1008)
        try await client.end()
    }
}
