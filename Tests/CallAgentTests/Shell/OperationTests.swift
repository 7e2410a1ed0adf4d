import Testing

@testable import CallAgent

/// Which operations of an agent and a call are allowed, and when.
@Suite(.timeLimit(.minutes(1)))
struct OperationTests {
    @Test("E7: a caller can neither accept nor reject its own call")
    func caller() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            for state in [CallState.calling, .ringing] {
                if state == .ringing { try signaling.deliver(.ringing, call: call.id) }
                try await call.reaches(state)
                let place = "the caller of a call that is \(state)"
                await #expect(throws: CallError.wrongState(operation: "accept", state: place)) {
                    try await call.accept()
                }
                await #expect(throws: CallError.wrongState(operation: "reject", state: place)) {
                    try await call.reject()
                }
            }
            #expect(await call.state == .ringing)
            #expect(signaling.sent.map(\.body.withoutRoom) == [.anInvite])
        }
    }

    @Test("A callee accepts or rejects once, while it rings")
    func callee() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1")
            let call = try await alice.nextCall()
            try await call.accept()
            let place = "the callee of a call that is connecting"
            await #expect(throws: CallError.wrongState(operation: "accept", state: place)) { try await call.accept() }
            await #expect(throws: CallError.wrongState(operation: "reject", state: place)) { try await call.reject() }
            await call.hangUp()
            await call.hangUp()
            #expect(await call.waitUntilEnded().reason == .localHangup)
            await #expect(throws: CallError.self) { try await call.accept() }
            try await eventually("the hangup") { signaling.sent.last?.body == .hangup(9900) }
            #expect(signaling.sent.count { $0.body == .hangup(9900) } == 1)
        }
    }

    @Test("E7: an accept after the caller's cancel is refused with the state")
    func acceptTooLate() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1")
            let call = try await alice.nextCall()
            try signaling.deliver(.cancel(9900), call: "c1")
            _ = await call.waitUntilEnded()
            let place = "the callee of a call that is ended"
            await #expect(throws: CallError.wrongState(operation: "accept", state: place)) { try await call.accept() }
        }
    }

    @Test("A call needs a prepared agent, a user name and media")
    func whatACallNeeds() async throws {
        let unprepared = Party("alice", FakeSignaling())
        await #expect(throws: CallError.notPrepared) { try await unprepared.agent.call("bob") }
        try await withAlice { alice, _ in
            await #expect(throws: CallError.invalidUser("b b")) { try await alice.agent.call("b b") }
            await #expect(throws: CallError.noMedia) {
                try await alice.agent.call("bob", media: CallMedia(audio: false, video: false))
            }
            #expect(alice.media.sessions.isEmpty)
        }
        try await withAlice {
            $0.media = MediaConfiguration(video: nil)
        } _: { alice, _ in
            await #expect(throws: CallError.noMedia) {
                try await alice.agent.call("bob", media: CallMedia(audio: false, video: true))
            }
            let call = try await alice.agent.call("bob", media: .audioVideo)
            #expect(await call.media == .audioOnly, "what the agent has no source for is left out")
        }
    }

    @Test("E6: a second prepare() has no effect")
    func prepareAgain() async throws {
        try await withAlice { alice, signaling in
            try await alice.agent.prepare()
            #expect(signaling.steps.count { $0 == .connected("alice") } == 1)
        }
    }

    @Test("After a failed preparation the agent can be prepared again")
    func prepareFails() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        alice.media.plan.prepare = .failure(.broken)
        await #expect(throws: CallError.media(.broken)) { try await alice.agent.prepare() }
        alice.media.plan.prepare = .success(())
        signaling.failConnecting(.signInRefused(code: 409, text: "taken"))
        await #expect(throws: CallError.signaling(.signInRefused(code: 409, text: "taken"))) {
            try await alice.agent.prepare()
        }
        #expect(!alice.media.isPrepared, "what was opened is closed again")
        await #expect(throws: CallError.notPrepared) { try await alice.agent.call("bob") }
        signaling.failConnecting(nil)
        try await alice.agent.prepare()
        let call = try await alice.agent.call("bob")
        try signaling.deliver(.ringing, call: call.id)
        try await call.reaches(.ringing)
        await alice.agent.close()
    }

    @Test("An invalid user name is refused before any device is opened")
    func invalidOwnName() async throws {
        let signaling = FakeSignaling()
        let nobody = Party("no body", signaling)
        await #expect(throws: CallError.invalidUser("no body")) { try await nobody.agent.prepare() }
        #expect(!nobody.media.isPrepared)
        #expect(signaling.steps.isEmpty)
    }
}
