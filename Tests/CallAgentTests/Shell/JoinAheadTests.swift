import Testing

@testable import CallAgent

/// This end of the next call is built before the call is placed (A31).
@Suite(.timeLimit(.minutes(1)))
struct JoinAheadTests {
    /// Alice, signed in, with a session built ahead.
    private func prepared(
        _ ahead: JoinAhead = JoinAhead(), maximumCalls: Int = 1
    ) async throws -> (alice: Party, signaling: FakeSignaling) {
        let signaling = FakeSignaling()
        var configuration = AgentConfiguration.standard
        (configuration.joinsAhead, configuration.maximumCalls) = (ahead, maximumCalls)
        let alice = Party("alice", signaling, configuration)
        try await alice.agent.prepare()
        return (alice, signaling)
    }

    @Test("The offer exists before the call; the next session is built after a pause; all are closed at the end")
    func offerIsThere() async throws {
        let (alice, signaling) = try await prepared()
        #expect(alice.media.sessions.map(\.commands) == [[.createOffer]])
        let call = try await alice.agent.call("bob")
        try await eventually("the invite") { signaling.sent.map(\.body.withoutRoom) == [.anInvite] }
        #expect(alice.media.sessions.count == 1)
        try await alice.clock.elapse(AheadMediaProvider.pause)
        try await eventually("the next one") { alice.media.sessions.count == 2 }
        #expect(alice.media.sessions[0].commands.count { $0 == .createOffer } == 1)
        await call.hangUp()
        await alice.agent.close()
        #expect(alice.media.sessions.allSatisfy { $0.commands.last == .close })
    }

    @Test("An agent that closes during the pause builds no other session")
    func closedInThePause() async throws {
        let (alice, signaling) = try await prepared()
        _ = try await alice.agent.call("bob")
        try await eventually("the invite") { signaling.sent.map(\.body.withoutRoom) == [.anInvite] }
        try await eventually("the pause") { alice.clock.sleeping.contains(AheadMediaProvider.pause) }
        await alice.agent.close()
        #expect(!alice.clock.sleeping.contains(AheadMediaProvider.pause))
        #expect(alice.media.sessions.map(\.commands.last) == [.close])
    }

    @Test("A call with other media and an incoming call do not use the session built ahead")
    func otherMedia() async throws {
        let (alice, signaling) = try await prepared(maximumCalls: 2)
        _ = try await alice.agent.call("bob", media: .audioOnly)
        try signaling.deliver(.anInvite, call: "c", from: "carol")
        _ = try await alice.nextCall()
        #expect(alice.media.sessions.map(\.media) == [.audioVideo, .audioOnly, .audioVideo])
        #expect(alice.media.sessions[0].commands == [.createOffer])
        await alice.agent.close()
    }

    @Test("A session is replaced before it is stale, and the next call uses the new one; a failure keeps the old one")
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

    @Test("The first call has the ICE servers of the sign-in, built ahead or not", arguments: [true, false])
    func signedInServers(isAhead: Bool) async throws {
        let (signaling, server) = (FakeSignaling(), IceServer(urls: ["turn:turn.example.org"]))
        signaling.give([server])
        var configuration = AgentConfiguration.standard
        configuration.joinsAhead = isAhead ? JoinAhead() : nil
        let alice = Party("alice", signaling, configuration)
        try await alice.agent.prepare()
        #expect(alice.media.sessions.map(\.servers) == (isAhead ? [[server]] : []))
        _ = try await alice.agent.call("bob")
        try await eventually("the invite") { signaling.sent.map(\.body.withoutRoom) == [.anInvite] }
        #expect(alice.media.sessions.map(\.servers) == [[server]])
        await alice.agent.close()
        #expect(alice.media.sessions.allSatisfy { $0.commands.last == .close })
    }

    @Test("The next call uses the ICE servers that signaling hands out")
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

    @Test("A callee's session is built before the invite, and the next one after a pause")
    func callee() async throws {
        let (alice, signaling) = try await prepared(JoinAhead(roles: [.callee]))
        #expect(alice.media.sessions.map(\.commands) == [[.prepareAnswer]])
        try signaling.deliver(.anInvite, call: "c", from: "carol")
        _ = try await alice.nextCall()
        try await alice.clock.elapse(AheadMediaProvider.pause)
        try await eventually("the next one") {
            alice.media.sessions.map(\.commands.first) == [.prepareAnswer, .prepareAnswer]
        }
        try await eventually("the answer") { alice.media.sessions[0].commands.contains(.createAnswer("offer")) }
        await alice.agent.close()
        #expect(alice.media.sessions.allSatisfy { $0.commands.last == .close })
    }
}
