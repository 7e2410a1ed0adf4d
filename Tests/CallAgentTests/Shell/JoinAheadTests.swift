import Testing

@testable import CallAgent

/// The own end of the next call is built before it is placed (A31).
@Suite(.timeLimit(.minutes(1)))
struct JoinAheadTests {
    /// Alice, who is signed in and has built what she joins ahead with.
    private func prepared(
        _ ahead: JoinAhead = JoinAhead(), maximumCalls: Int = 1
    ) async throws -> (alice: Party, signaling: FakeSignaling) {
        let signaling = FakeSignaling()
        var configuration = CallAgentConfiguration.standard
        (configuration.joinsAhead, configuration.maximumCalls) = (ahead, maximumCalls)
        let alice = Party("alice", signaling, configuration)
        try await alice.agent.prepare()
        return (alice, signaling)
    }

    @Test("The offer is there before the call; the next one is built meanwhile; all are closed in the end")
    func offerIsThere() async throws {
        let (alice, signaling) = try await prepared()
        #expect(alice.media.sessions.map(\.commands) == [[.createOffer]])
        let call = try await alice.agent.call("bob")
        try await eventually("the invite") { signaling.sent.map(\.body.withoutRoom) == [.anInvite] }
        try await eventually("the next one") { alice.media.sessions.count == 2 }
        #expect(alice.media.sessions[0].commands.count { $0 == .createOffer } == 1)
        await call.hangUp()
        await alice.agent.close()
        #expect(alice.media.sessions.allSatisfy { $0.commands.last == .close })
    }

    @Test("A call with other media, and a call that comes in, are built as they are without it")
    func otherMedia() async throws {
        let (alice, signaling) = try await prepared(maximumCalls: 2)
        _ = try await alice.agent.call("bob", media: .audioOnly)
        try signaling.deliver(.anInvite, call: "c", from: "carol")
        _ = try await alice.nextCall()
        #expect(alice.media.sessions.map(\.media) == [.audioVideo, .audioOnly, .audioVideo])
        #expect(alice.media.sessions[0].commands == [.createOffer])
        await alice.agent.close()
    }

    @Test("Before it is stale a new one takes its place, which the next call takes; a failure leaves the old one")
    func renewal() async throws {
        let (alice, signaling) = try await prepared()
        try await alice.clock.elapse(AheadMediaProvider.renewal)
        try await eventually("the old one is closed") { alice.media.sessions[0].commands.last == .close }
        #expect(alice.media.sessions.map(\.commands) == [[.createOffer, .close], [.createOffer]])

        alice.media.plan.makeSession = .failure(.init(fault: .other(text: "no ports"), description: "no ports"))
        try await alice.clock.elapse(AheadMediaProvider.renewal)
        try await eventually("the next renewal") { alice.clock.sleeping == [AheadMediaProvider.renewal] }
        #expect(alice.media.sessions.map(\.commands) == [[.createOffer, .close], [.createOffer]])
        alice.media.plan.makeSession = .success(())
        let call = try await alice.agent.call("bob")
        try await eventually("the invite") { signaling.sent.map(\.body.withoutRoom) == [.anInvite] }
        await call.hangUp()
        await alice.agent.close()
        #expect(alice.clock.sleeping.isEmpty)
        #expect(alice.media.sessions.allSatisfy { $0.commands.last == .close })
    }

    @Test("Servers that signaling hands out are those of the next call's end")
    func servers() async throws {
        let (alice, signaling) = try await prepared()
        let server = IceServer(urls: ["turn:turn.example.org"])
        signaling.happen(.iceServers([server], validForMs: 60_000))
        try await eventually("another one") {
            alice.media.sessions.map(\.commands) == [[.createOffer, .close], [.createOffer]]
        }
        #expect(alice.media.sessions.map(\.servers) == [[], [server]])
        await alice.agent.close()
    }

    @Test("A callee's end is built before the invite, and the next one while the call rings")
    func callee() async throws {
        let (alice, signaling) = try await prepared(JoinAhead(roles: [.callee]))
        #expect(alice.media.sessions.map(\.commands) == [[.prepareAnswer]])
        try signaling.deliver(.anInvite, call: "c", from: "carol")
        _ = try await alice.nextCall()
        try await eventually("the next one") {
            alice.media.sessions.map(\.commands.first) == [.prepareAnswer, .prepareAnswer]
        }
        try await eventually("the answer") { alice.media.sessions[0].commands.contains(.createAnswer("offer")) }
        await alice.agent.close()
        #expect(alice.media.sessions.allSatisfy { $0.commands.last == .close })
    }
}
