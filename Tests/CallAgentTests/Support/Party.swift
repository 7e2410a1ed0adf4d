import CallAgent
import Testing

/// One agent with media and time of its own, both in the hands of the test.
struct Party: Sendable {
    let agent: CallAgent
    let media = FakeMediaProvider()
    let clock = ManualClock()

    /// Makes a party; what is given for `signaling` is evaluated for each sign-in.
    init(
        _ user: String, _ signaling: @autoclosure @escaping @Sendable () -> any SignalingTransport,
        _ configuration: CallAgentConfiguration = .standard
    ) {
        let clock = clock
        agent = CallAgent(
            user: user, provider: media, signaling: signaling(), configuration: configuration,
            sleep: { try await clock.sleep($0) })
    }

    /// The next call that comes in.
    func nextCall() async throws -> Call {
        var calls = agent.incomingCalls.makeAsyncIterator()
        return try #require(await calls.next())
    }

    /// The media of this party's call number `index`.
    func session(_ index: Int = 0) async throws -> FakeMediaSession {
        try await eventually("the media of call \(index)") { media.sessions.count > index }
        return media.sessions[index]
    }
}

extension CallAgentConfiguration {
    /// The defaults, without audits, which would be timers beside those of the rules.
    static let standard = {
        var configuration = CallAgentConfiguration(media: MediaConfiguration())
        (configuration.ringAuditMs, configuration.callAuditMs) = (nil, nil)
        return configuration
    }()
}

/// Runs `body` with two agents that are signed in to one switchboard, and closes them.
func withParties(
    _ configure: (inout CallAgentConfiguration) -> Void = { _ in },
    _ body: (_ alice: Party, _ bob: Party) async throws -> Void
) async throws {
    var configuration = CallAgentConfiguration.standard
    configure(&configuration)
    let board = InMemorySignaling()
    let alice = Party("alice", board.transport(), configuration)
    let bob = Party("bob", board.transport(), configuration)
    try await alice.agent.prepare()
    try await bob.agent.prepare()
    do {
        try await body(alice, bob)
    } catch {
        await alice.agent.close()
        await bob.agent.close()
        throw error
    }
    await alice.agent.close()
    await bob.agent.close()
}

/// Runs `body` with one agent, alice, whose signaling is in the hands of the test.
func withAlice(
    guaranteesDelivery: Bool = true,
    _ configure: (inout CallAgentConfiguration) -> Void = { _ in },
    _ body: (_ alice: Party, _ signaling: FakeSignaling) async throws -> Void
) async throws {
    var configuration = CallAgentConfiguration.standard
    configure(&configuration)
    let signaling = FakeSignaling(guaranteesDelivery: guaranteesDelivery)
    let alice = Party("alice", signaling, configuration)
    try await alice.agent.prepare()
    do {
        try await body(alice, signaling)
    } catch {
        await alice.agent.close()
        throw error
    }
    await alice.agent.close()
}

extension Call {
    /// Waits until the call is in `state`.
    nonisolated func reaches(_ state: CallState, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("\(role) \(state)", sourceLocation: sourceLocation) { await self.state == state }
    }
}
