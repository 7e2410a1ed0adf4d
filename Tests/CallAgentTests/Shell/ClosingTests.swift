import Testing

@testable import CallAgent

/// `close()` in every state of the agent.
@Suite(.timeLimit(.minutes(1)))
struct ClosingTests {
    @Test("close() hangs up every call, and the farewells are sent before the transport closes")
    func farewellsFirst() async throws {
        let signaling = FakeSignaling()
        var configuration = AgentConfiguration.standard
        configuration.maximumCalls = 3
        let alice = Party("alice", signaling, configuration)
        try await alice.agent.prepare()
        let placed = try await alice.agent.call("bob")
        try signaling.deliver(.anInvite, call: "c2", from: "carol")
        let ringing = try await alice.nextCall()
        try signaling.deliver(.anInvite, call: "c3", from: "dave")
        let accepted = try await alice.nextCall()
        try await accepted.accept()
        // Before it, the end is a reject.
        try await eventually("the accept") {
            signaling.sent.contains { if case .accept = $0.body { true } else { false } }
        }

        await alice.agent.close()
        #expect(await placed.end?.reason == .localCancelled)
        #expect(await ringing.end?.reason == .localRejected)
        #expect(await accepted.end?.reason == .localHangup)
        let farewells = signaling.sent.compactMap { message -> String? in
            switch message.body {
            case .cancel: "cancel \(message.to)"
            case .reject: "reject \(message.to)"
            case .hangup: "hangup \(message.to)"
            default: nil
            }
        }
        #expect(farewells.sorted() == ["cancel bob", "hangup dave", "reject carol"])
        #expect(signaling.steps.last == .closed)
        #expect(signaling.steps.count { $0 == .closed } == 1)
        #expect(alice.media.sessions.allSatisfy { $0.commands.last == .close })
        #expect(!alice.media.isPrepared)
        #expect(alice.agent.activeCalls.isEmpty)
    }

    @Test("close() waits for a farewell that the transport sends slowly")
    func slowTransport() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        try await alice.agent.prepare()
        _ = try await alice.agent.call("bob")
        try await eventually("the invite") { !signaling.sent.isEmpty }
        let latch = Latch()
        signaling.holdSending(latch)
        let closing = Task { await alice.agent.close() }
        try await eventually("the farewell") { latch.waiting == 1 }
        #expect(!signaling.steps.contains(.closed))
        latch.open()
        await closing.value
        #expect(signaling.sent.last?.body == .cancel(9900))
        #expect(signaling.steps.last == .closed)
    }

    @Test("close() is idempotent and ends the stream of calls; later operations are refused")
    func afterwards() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        try await alice.agent.prepare()
        await alice.agent.close()
        await alice.agent.close()
        #expect(signaling.steps == [.connected("alice"), .closed])
        for await _ in alice.agent.incomingCalls { Issue.record("a call after the end") }
        await #expect(throws: CallError.notPrepared) { try await alice.agent.call("bob") }
        await #expect(throws: CallError.wrongState(operation: "prepare", state: "the agent is closed")) {
            try await alice.agent.prepare()
        }
    }

    @Test("An agent that was never prepared makes no transport and does not use a given one")
    func neverPrepared() async throws {
        let signaling = FakeSignaling()
        await Party("alice", signaling).agent.close()
        #expect(signaling.steps == [])
    }

    @Test("close() during prepare(): the agent stays closed")
    func whilePreparing() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        let latch = Latch()
        alice.media.plan.prepareLatch = latch
        let preparing = Task { try await alice.agent.prepare() }
        try await eventually("the preparation") { latch.waiting == 1 }
        await alice.agent.close()
        latch.open()
        await #expect(throws: CallError.wrongState(operation: "prepare", state: "the agent is closed")) {
            try await preparing.value
        }
        #expect(!alice.media.isPrepared)
        #expect(signaling.steps.last == .closed)
        await #expect(throws: CallError.notPrepared) { try await alice.agent.call("bob") }
    }

    @Test("close() while the media of a call is made: the call is not placed, and its media is closed")
    func whileTheMediaIsMade() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        try await alice.agent.prepare()
        let latch = Latch()
        alice.media.plan.sessionLatch = latch
        let calling = Task { try await alice.agent.call("bob") }
        try await eventually("the call") { latch.waiting == 1 }
        await alice.agent.close()
        latch.open()
        await #expect(throws: CallError.wrongState(operation: "a call", state: "the agent is closed")) {
            try await calling.value
        }
        #expect(alice.media.sessions.map(\.commands) == [[.close]])
        #expect(signaling.sent.isEmpty)
        #expect(alice.agent.activeCalls.isEmpty)
    }

    @Test("close() while the offer is created: the call ends, and no invite was sent")
    func whileTheOfferIsMade() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        try await alice.agent.prepare()
        let latch = Latch()
        alice.media.plan.offerLatch = latch
        let calling = Task { try await alice.agent.call("bob") }
        try await eventually("the offer") { latch.waiting == 1 }
        await alice.agent.close()
        await #expect(throws: CallError.ended(CallEnd(reason: .localCancelled, by: .local))) {
            try await calling.value
        }
        latch.open()
        #expect(signaling.sent.isEmpty)
    }
}
