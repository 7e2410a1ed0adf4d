import Testing

@testable import CallAgent

/// Messages that do not belong to this agent's calls, and texts that are not messages.
@Suite(.timeLimit(.minutes(1)))
struct ForeignMessageTests {
    @Test("Messages from another user, to another user or of another call do not affect a call")
    func foreign() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            for body in [SignalingMessage.Body.hangup(9900), .reject(603), .accept(sdp: "x"), .error(404)] {
                try signaling.deliver(body, call: call.id, from: "mallory")
                try signaling.deliver(body, call: call.id, to: "somebody")
                try signaling.deliver(body, call: "other")
                if case .accept = body { try signaling.deliver(body, call: call.id, generation: 1) }
            }
            try signaling.deliver(.ringing, call: call.id)
            try await call.reaches(.ringing)
            #expect(try await alice.session().commands.contains(.setAnswer("x")) == false)
            try await eventually("an answer") { signaling.sent.count > 1 }
            let answers = signaling.sent.dropFirst()
            // An accept of an unknown call gets an error, also with the id of another user's call. Nothing else is answered.
            try await eventually("both answers") { signaling.sent.count > 2 }
            #expect(signaling.sent.dropFirst().map(\.to) == ["mallory", "bob"])
            #expect(answers.allSatisfy { if case .error(let fault) = $0.body { fault.code == 481 } else { false } })
        }
    }

    @Test("An invite for another user does not ring here")
    func inviteForAnother() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1", to: "somebody")
            try signaling.deliver(.anInvite, call: "c2")
            #expect(try await alice.nextCall().id == "c2")
        }
    }

    @Test("Errors of the server have no sender and are handled")
    func serverError() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("nobody")
            try signaling.deliver(.error(404, "no user nobody"), call: call.id, from: "")
            let end = CallEnd(reason: .unknownUser, code: 404, text: "no user nobody", by: .peer)
            #expect(await call.waitUntilEnded() == end)
        }
    }

    @Test("A malformed message is answered with the reason if its sender is readable")
    func unreadable() async throws {
        try await withAlice { alice, signaling in
            let head = #""id":"m7","callId":"c1","from":"bob","to":"alice""#
            signaling.deliver(#"{"v":2,"type":"ringing",\#(head)}"#)
            signaling.deliver(#"{"v":1,"type":"dance",\#(head)}"#)
            signaling.deliver(#"{"v":1,"type":"ringing",\#(head),"generation":-1}"#)
            try await eventually("three answers") { signaling.sent.count == 3 }
            #expect(signaling.sent.allSatisfy { ($0.callId, $0.from, $0.to) == ("c1", "alice", "bob") })
            let faults = signaling.sent.compactMap { if case .error(let fault) = $0.body { fault } else { nil } }
            #expect(faults.map(\.code) == [426, 426, 400])
            #expect(faults.map(\.ref) == ["m7", "m7", "m7"])
        }
    }

    @Test("Errors, and texts without a sender, are never answered")
    func neverAnswered() async throws {
        try await withAlice { alice, signaling in
            let head = #""id":"m7","callId":"c1","from":"bob","to":"alice""#
            signaling.deliver(#"{"v":2,"type":"error",\#(head)}"#)
            signaling.deliver(#"{"v":1,"type":"error",\#(head),"code":-1}"#)
            for text in ["", "[]", "null", "{}", #"{"v":1}"#, #"{"v":1,"type":"ringing","from":"b b"}"#] {
                signaling.deliver(text)
            }
            signaling.deliver(String(repeating: "x", count: 70_000))
            try signaling.deliver(.anInvite, call: "c2")
            #expect(try await alice.nextCall().id == "c2", "the agent lives")
            try await eventually("it rings") { !signaling.sent.isEmpty }
            #expect(signaling.sent.first?.body == .ringing)
        }
    }

    @Test("E3: a duplicated invite does not ring twice or end the call")
    func duplicatedInvite() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1")
            let call = try await alice.nextCall()
            try await call.accept()
            try signaling.deliver(.anInvite, call: "c1")
            try signaling.deliver(.aCandidate, call: "c1")
            try await eventually("the candidate") {
                try await alice.session().commands.contains(.addCandidate(.example))
            }
            #expect(await call.state == .connecting)
            #expect(alice.media.sessions.count == 1)
            #expect(signaling.sent.count { $0.body == .ringing } == 1)
        }
    }
}
