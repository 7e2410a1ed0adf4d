import CallAgent
import CallProtocol
import SignalingServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerRoutingTests {
    @Test func aMessageArrivesWithEveryByteAsItWasSent() async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            let text =
                "  { \"to\" : \"bob\",\n\t\"from\":\"alice\", \"x\":[1.50, null, {\"a\":\"\\u00e4ü€😀\"}],"
                + "\"type\":\"somethingNew\",\"callId\":\"c\",\"id\":\"m\",\"v\":1.0 } "
            try await alice.send(text)
            #expect(try await bob.text() == text)
        }
    }

    @Test func messagesArriveInTheOrderTheyWereSent() async throws {
        try await withServer {
            $0.messageBurst = 1_000
        } _: { server in
            let (alice, bob) = try await pair(server)
            let texts = (0..<500).map {
                callMessage("candidate", id: "m\($0)", from: "alice", to: "bob", extra: #","candidate":"","mLine":0"#)
            }
            try await alice.send(bytes: texts.flatMap { RawClient.bytes(opcode: 1, Array($0.utf8)) })
            for text in texts { try #require(try await bob.text() == text) }
        }
    }

    @Test func aMessageOfTheGreatestLengthArrives() async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            let text = message(ofLength: 65_536)
            try await alice.send(text)
            #expect(try await bob.text() == text)
        }
    }

    @Test func aMessageInManyFragmentsArrivesWhole() async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            let bytes = Array(message(ofLength: 65_536).utf8)
            var stream = RawClient.bytes(opcode: 1, Array(bytes[..<1]), isFinal: false)
            for byte in bytes[1..<2_000] { stream += RawClient.bytes(opcode: 0, [byte], isFinal: false) }
            // RFC 6455 section 5.4: control frames may be sent between fragments.
            stream += RawClient.bytes(opcode: 9, Array("now".utf8))
            stream += RawClient.bytes(opcode: 0, [], isFinal: false)
            stream += RawClient.bytes(opcode: 0, Array(bytes[2_000...]))
            try await alice.send(bytes: stream)
            #expect(try await bob.frame() == RawClient.Frame(opcode: 1, payload: bytes))
        }
    }

    @Test func aForgedSenderIsAnsweredWithError400() async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            try await alice.send(callMessage(id: "forged", from: "bob", to: "bob"))
            let fault = try await error(alice)
            #expect(fault == .init(code: 400, text: "from is not alice, who is signed in here", ref: "forged"))
            try await alice.send(callMessage(id: "good", from: "alice", to: "bob"))
            #expect(try await bob.text().contains("good"))
        }
    }

    @Test func anUnknownUserIsAnsweredWith404AndOneWhoLeftWith480() async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            try await alice.send(callMessage("invite", id: "m1", call: "c7", from: "alice", to: "carol"))
            #expect(try await error(alice, call: "c7").code == 404)
            try await bob.send(opcode: 8, [0x03, 0xE8])
            try await bob.end()
            try await alice.send(callMessage("invite", id: "m2", call: "c8", from: "alice", to: "bob"))
            let fault = try await error(alice, call: "c8")
            #expect(fault == .init(code: 480, text: "bob is signed in no more", ref: "m2"))
        }
    }

    @Test func anErrorIsNeverAnswered() async throws {
        try await withServer { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            try await alice.send(callMessage("error", from: "alice", to: "nobody"))
            try await alice.send(callMessage("error", from: "forged", to: "alice"))
            try await alice.send(#"{"v":2,"type":"error"}"#)
            // The answer to this message is the first one.
            try await alice.send(callMessage(id: "last", from: "alice", to: "nobody"))
            #expect(try await error(alice).ref == "last")
        }
    }

    @Test(arguments: [
        ("garbage", 400, "-", "-"), ("[]", 400, "-", "-"), ("", 400, "-", "-"), ("{}", 400, "-", "-"),
        (#"{"v":1,"type":"ringing","id":"m 1","callId":"c/1","from":"alice","to":"bob"}"#, 400, "-", "-"),
        (#"{"v":1,"type":"ringing","id":7,"callId":"c1","from":"alice","to":"bob"}"#, 400, "c1", "-"),
        (#"{"v":1,"type":"ringing","id":"m1","from":"alice","to":"bob"}"#, 400, "-", "m1"),
        (#"{"v":1,"id":"m1","callId":"c1","from":"alice","to":"bob"}"#, 400, "c1", "m1"),
        (#"{"v":1,"type":"ringing","id":"m1","callId":"c1","from":"alice","to":"b b"}"#, 400, "c1", "m1"),
        (#"{"v":1,"type":"ringing","id":"m1","callId":"c1","to":"bob"}"#, 400, "c1", "m1"),
        (#"{"v":1,"type":"gone","id":"m1","callId":"c1","from":"alice","to":"bob"}"#, 400, "c1", "m1"),
        (#"{"v":2,"type":"ringing","id":"m1","callId":"c1","from":"alice","to":"bob"}"#, 426, "c1", "m1"),
        (#"{"type":"ringing","id":"m1","callId":"c1","from":"alice","to":"bob"}"#, 400, "c1", "m1"),
        (#"{"v":1,"type":"ringing","id":"m1","callId":"c1","from":"alice","from":"bob","to":"bob"}"#, 400, "-", "-"),
    ])
    func aMalformedMessageIsAnsweredAndTheConnectionLives(
        text: String, code: Int, callId: String, ref: String
    ) async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            try await alice.send(text)
            let fault = try await error(alice, call: callId)
            #expect(fault.code == code)
            #expect(fault.ref == ref)
            try await alice.send(callMessage(from: "alice", to: "bob"))
            #expect(try await bob.text() == callMessage(from: "alice", to: "bob"))
        }
    }

    @Test func anErrorNamesTheGenerationOfTheMessageThatFailed() async throws {
        try await withServer { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            try await alice.send(callMessage(from: "alice", to: "nobody", extra: #","generation":3"#))
            #expect(try SignalingMessage(decoding: try await alice.text()).generation == 3)
        }
    }

    // MARK: Calls

    @Test(arguments: [false, true], [false, true])
    func theOtherUserOfACallIsToldWhenAConnectionIsGone(callerLeaves: Bool, isAbrupt: Bool) async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            try await alice.send(callMessage("invite", call: "c9", from: "alice", to: "bob"))
            _ = try await bob.text()
            let (leaving, staying) = callerLeaves ? (alice, bob) : (bob, alice)
            if isAbrupt { try await leaving.cut() } else { await leaving.close() }
            let gone = try SignalingMessage(decoding: try await staying.text())
            #expect(gone.body == .gone)
            #expect(gone.callId == "c9")
            #expect(gone.from == (callerLeaves ? "alice" : "bob"))
            #expect(gone.to == (callerLeaves ? "bob" : "alice"))
        }
    }

    @Test(arguments: [
        ("reject", "bob", "alice"), ("cancel", "alice", "bob"), ("hangup", "alice", "bob"), ("hangup", "bob", "alice"),
    ])
    func nobodyIsToldAboutACallThatHasEnded(type: String, from: String, to: String) async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            try await alice.send(callMessage("invite", from: "alice", to: "bob"))
            _ = try await bob.text()
            let (sender, receiver) = from == "alice" ? (alice, bob) : (bob, alice)
            try await sender.send(callMessage(type, from: from, to: to))
            _ = try await receiver.text()
            await sender.close()
            let again = try await signInAgain(from, server)
            // The receiver gets this message first, not a gone message.
            try await again.send(callMessage(id: "later", from: from, to: to))
            #expect(try await receiver.text().contains("later"))
        }
    }

    @Test func theCallAfterTheLastAllowedOneIsAnsweredWith429() async throws {
        try await withServer { server in
            let (alice, bob) = try await pair(server)
            for number in 1...256 {
                try await alice.send(callMessage("invite", call: "c\(number)", from: "alice", to: "bob"))
                try #require(try await bob.text().contains("\"c\(number)\""))
            }
            try await alice.send(callMessage("invite", id: "many", call: "c257", from: "alice", to: "bob"))
            #expect(try await error(alice, call: "c257").code == 429)
            // A known call is allowed, and an ended call frees its place.
            try await alice.send(callMessage("invite", id: "again", call: "c1", from: "alice", to: "bob"))
            #expect(try await bob.text().contains("again"))
            try await bob.send(callMessage("reject", call: "c2", from: "bob", to: "alice"))
            _ = try await alice.text()
            try await alice.send(callMessage("invite", call: "c257", from: "alice", to: "bob"))
            #expect(try await bob.text().contains("c257"))
        }
    }

    // MARK: Helpers

    private func pair(_ server: Server) async throws -> (RawClient, RawClient) {
        let alice = try await RawClient.signedIn("alice", port: server.port)
        return (alice, try await RawClient.signedIn("bob", port: server.port))
    }

    /// Signs in as soon as the server has noticed that the user's last connection is closed.
    private func signInAgain(_ user: String, _ server: Server) async throws -> RawClient {
        while true {
            let client = try await RawClient.connect(port: server.port)
            try await client.send(RawClient.signIn(user))
            if try await client.text().contains("signedIn") { return client }
        }
    }

    private func error(_ client: RawClient, call: String = "c1") async throws -> SignalingMessage.Fault {
        let message = try SignalingMessage(decoding: try await client.text())
        #expect(message.from.isEmpty)
        #expect(message.to == "alice")
        #expect(message.callId == call)
        #expect(message.sentUnixMs > 1_600_000_000_000)
        guard case .error(let fault) = message.body else {
            Issue.record("\(message) is no error")
            return .init(code: 0, text: "", ref: nil)
        }
        return fault
    }

    private func message(ofLength length: Int) -> String {
        let empty = callMessage(from: "alice", to: "bob", extra: #","x":"""#)
        let padding = String(repeating: "y", count: length - empty.utf8.count)
        return callMessage(from: "alice", to: "bob", extra: #","x":"\#(padding)""#)
    }
}
