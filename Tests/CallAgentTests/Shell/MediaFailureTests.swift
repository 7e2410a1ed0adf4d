import Testing

@testable import CallAgent

/// Failed media ends the call, with a reason at both ends.
@Suite(.timeLimit(.minutes(1)))
struct MediaFailureTests {
    @Test("If no offer can be created, call() throws the reason and no message is sent")
    func createOffer() async throws {
        try await withAlice { alice, signaling in
            alice.media.plan.offer = .failure(.broken)
            let end = CallEnd(reason: .mediaFailed, text: "broken", by: .local)
            await #expect(throws: CallError.ended(end)) { try await alice.agent.call("bob") }
            #expect(alice.agent.activeCalls.isEmpty)
            #expect(signaling.sent.isEmpty)
            try await eventually("closed") { try await alice.session().commands.last == .close }
            alice.media.plan.offer = .success("offer")
            _ = try await alice.agent.call("bob")
        }
    }

    @Test("If the machine lacks something for an offer, the error names it and the remedy")
    func missingDevice() async throws {
        try await withAlice { alice, signaling in
            let busy = MediaSessionError(
                fault: .other(text: "busy"), description: "the camera is busy; end the program that uses it",
                isMissingPrerequisite: true)
            alice.media.plan.offer = .failure(busy)
            await #expect(throws: CallError.media(busy)) { try await alice.agent.call("bob") }
            #expect(signaling.sent.isEmpty && alice.agent.activeCalls.isEmpty)
        }
    }

    @Test("If no media can be made, call() throws the reason and the agent continues")
    func makeSession() async throws {
        try await withAlice { alice, signaling in
            alice.media.plan.makeSession = .failure(.broken)
            await #expect(throws: CallError.media(.broken)) { try await alice.agent.call("bob") }
            try signaling.deliver(.anInvite, call: "c1")
            try await eventually("the reject") { signaling.sent.last?.body == .reject(9906) }
            alice.media.plan.makeSession = .success(())
            _ = try await alice.agent.call("bob")
        }
    }

    @Test(
        "The callee cannot create an answer",
        arguments: [
            (MediaSessionError.broken, EndReason.mediaFailed, EndReason.remoteFailed),
            (.unusable, .incompatibleMedia, .incompatibleMedia),
        ])
    func createAnswer(error: MediaSessionError, atCallee: EndReason, atCaller: EndReason) async throws {
        try await withParties { alice, bob in
            bob.media.plan.answer = .failure(error)
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            #expect(await theirs.waitUntilEnded().reason == atCallee)
            // An incomplete SDP is an error of the peer; a missing plugin is an error of this machine.
            let told = atCallee == .mediaFailed ? "" : error.description
            #expect(await mine.waitUntilEnded() == CallEnd(reason: atCaller, text: told, by: .peer))
        }
    }

    @Test(
        "The caller cannot use the answer", arguments: EarlyMediaPolicy.allCases,
        [
            (MediaSessionError.broken, EndReason.mediaFailed, EndReason.remoteFailed),
            (.unusable, .incompatibleMedia, .incompatibleMedia),
        ])
    func setAnswer(
        policy: EarlyMediaPolicy, failure: (error: MediaSessionError, atCaller: EndReason, atCallee: EndReason)
    ) async throws {
        try await withParties {
            $0.earlyMedia = policy
        } _: { alice, bob in
            alice.media.plan.setAnswer = .failure(failure.error)
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            if policy == .off { try await theirs.accept() }
            #expect(await mine.waitUntilEnded().reason == failure.atCaller)
            #expect(await theirs.waitUntilEnded().reason == failure.atCallee)
        }
    }

    @Test("An invalid candidate does not end a call")
    func badCandidate() async throws {
        try await withAlice { alice, signaling in
            alice.media.plan.addCandidate = .failure(.broken)
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.aCandidate, call: call.id)
            try signaling.deliver(.ringing, call: call.id)
            try await eventually("the candidate") {
                try await alice.session().commands.contains(.addCandidate(.example))
            }
            try await call.reaches(.ringing)
        }
    }

    @Test("Later media failures and a wrong certificate end the other end with a failure")
    func later() async throws {
        for (fault, reason) in [
            (MediaFault.other(text: "x"), EndReason.mediaFailed), (.security(text: "x"), .securityFailed),
        ] {
            try await withParties { alice, bob in
                let mine = try await alice.agent.call("bob")
                let theirs = try await bob.nextCall()
                try await theirs.accept()
                try await mine.reaches(.connecting)
                try await alice.session().emit(.failed(fault))
                #expect(await mine.waitUntilEnded().reason == reason)
                let told = reason == .mediaFailed ? "" : "x"
                #expect(await theirs.waitUntilEnded() == CallEnd(reason: .remoteFailed, text: told, by: .peer))
                #expect(try await !alice.session().commands.contains(.openReceiveGates))
            }
        }
    }

    @Test("E10: an invite that cannot be sent ends the call")
    func sendFails() async throws {
        try await withAlice { alice, signaling in
            signaling.failSending(.notConnected)
            let call = try await alice.agent.call("bob")
            let end = await call.waitUntilEnded()
            #expect(end.reason == .signalingFailed)
            #expect(end.text == SignalingError.notConnected.description)
        }
    }
}
