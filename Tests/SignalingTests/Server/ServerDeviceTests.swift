import CallAgent
import CallProtocol
import SignalingServer
import TestServers
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerDeviceTests {
    @Test func bothDevicesRingAndOneIsSpokenTo() async throws {
        try await withServer { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let tv = try await RawClient.signedIn("bob", device: "tv", port: server.port)
            let phone = try await RawClient.signedIn("bob", device: "phone", port: server.port)
            try await alice.send(callMessage("invite", from: "alice", to: "bob"))
            #expect(try await tv.text().contains("invite"))
            #expect(try await phone.text().contains("invite"))
            try await alice.send(callMessage("cancel", from: "alice", to: "bob", extra: #","toDevice":"tv""#))
            #expect(try await tv.text().contains("cancel"))
            await phone.close()
            let gone = try await alice.text()
            #expect(gone.contains(#""type":"gone""#) && gone.contains(#""device":"phone""#))
            #expect(try SignalingMessage(decoding: gone).from == "bob")
            try await alice.send(callMessage(from: "alice", to: "bob", extra: #","toDevice":"phone""#))
            #expect(try await alice.text().contains(#""code":480"#))
            // A field of the wrong type must not add receivers.
            try await alice.send(callMessage(from: "alice", to: "bob", extra: #","toDevice":7"#))
            #expect(try await alice.text().contains(#""code":400"#))
        }
    }

    @Test func whoResumesReplacesItsOldConnectionInSilence() async throws {
        try await withServer { server in
            let bob = try await RawClient.signedIn("bob", port: server.port)
            let first = try await RawClient.connect(port: server.port)
            try await first.send(RawClient.signIn("alice"))
            let resume = try #require(try await first.text().firstMatch(of: #/"resume":"([^"]+)"/#)?.1)
            try await first.send(callMessage("invite", from: "alice", to: "bob"))
            #expect(try await bob.text().contains("invite"))

            let second = try await RawClient.connect(port: server.port)
            try await second.send(RawClient.signIn("alice", resume: String(resume)))
            #expect(try await second.text().contains("signedIn"))
            let frame = try #require(try await first.frame())
            #expect(frame.closeCode == 1008 && frame.text.hasSuffix("replaced by a newer sign-in of this device"))
            try await first.send(opcode: 8, [0x03, 0xF0])
            try await first.end()
            // This is the first message that bob gets.
            try await second.send(callMessage(id: "later", from: "alice", to: "bob"))
            #expect(try await bob.text().contains("later"))
            await second.close()
            #expect(try await bob.text().contains("gone"))
        }
    }

    @Test func theServerSaysRingingWhenItIsTold() async throws {
        try await withServer {
            $0.announcesRinging = true
        } _: { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            try await alice.send(callMessage("invite", from: "alice", to: "bob"))
            let ringing = try SignalingMessage(decoding: try await alice.text())
            #expect(ringing.body == .ringing && ringing.from == "bob" && ringing.callId == "c1")
            #expect(try await bob.text().contains("invite"))
        }
    }

    @Test func whoWatchesIsTold() async throws {
        try await withServer { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            try await alice.send(#"{"v":1,"type":"watch","users":["bob"]}"#)
            #expect(try await alice.text() == #"{"v":1,"type":"watching"}"#)
            #expect(try await alice.text() == #"{"v":1,"type":"presence","user":"bob","devices":[]}"#)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            #expect(try await alice.text() == #"{"v":1,"type":"presence","user":"bob","devices":["main"]}"#)
            await bob.close()
            #expect(try await alice.text() == #"{"v":1,"type":"presence","user":"bob","devices":[]}"#)
        }
    }

    @Test func theCredentialsOfTURNComeWithTheSignInAndAgain() async throws {
        let secret = try TemporaryFile("a shared secret\n")
        try await withServer {
            $0.turnURLs = ["turn:turn.example.org"]
            $0.turnSecretFile = secret.path
            $0.turnLifetime = .milliseconds(200)
        } _: { server in
            let carol = try await RawClient.connect(port: server.port)
            try await carol.send(RawClient.signIn("carol"))
            let answer = try await carol.text()
            #expect(answer.contains(#","iceServers":{"servers":[{"urls":["turn:turn.example.org"],"#))
            #expect(answer.contains(#":carol","credential":""#) && answer.hasSuffix(#"],"validForMs":200}}"#))
            let alice = try await RawClient.signedIn("alice", port: server.port)
            for _ in 0..<3 {
                let servers = try await alice.text()
                #expect(servers.hasPrefix(#"{"v":1,"type":"iceServers","servers":[{"urls":["turn:turn.example.org"],"#))
                #expect(servers.contains(#":alice","credential":""#) && servers.hasSuffix(#"],"validForMs":200}"#))
            }
        }
    }
}
