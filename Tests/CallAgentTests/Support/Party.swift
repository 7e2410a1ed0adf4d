import CallAgent
import Testing

/// One agent with its own media and clock, both controlled by the test.
struct Party: Sendable {
    let agent: Agent
    let media = FakeMediaProvider()
    let clock = ManualClock()

    /// Makes a party; `signaling` is evaluated for each sign-in.
    init(
        _ user: String, _ signaling: @autoclosure @escaping @Sendable () -> any SignalingTransport,
        _ configuration: AgentConfiguration = .standard
    ) {
        let clock = clock
        agent = Agent(
            user: user, provider: media, signaling: signaling(), configuration: configuration,
            sleep: { try await clock.sleep($0) })
    }

    /// The next incoming call.
    func nextCall() async throws -> Call {
        var calls = agent.incomingCalls.makeAsyncIterator()
        return try #require(await calls.next())
    }

    /// The media of call number `index` of this party.
    func session(_ index: Int = 0) async throws -> FakeMediaSession {
        try await eventually("the media of call \(index)") { media.sessions.count > index }
        return media.sessions[index]
    }
}

extension AgentConfiguration {
    /// The defaults without audits.
    ///
    /// An audit would add a timer to those of the rules.
    static let standard = {
        var configuration = AgentConfiguration(media: MediaConfiguration())
        (configuration.ringAuditMs, configuration.callAuditMs) = (nil, nil)
        return configuration
    }()
}

/// Runs `body` with two agents signed in to one switchboard, then closes them.
func withParties(
    _ configure: (inout AgentConfiguration) -> Void = { _ in },
    _ body: (_ alice: Party, _ bob: Party) async throws -> Void
) async throws {
    var configuration = AgentConfiguration.standard
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

/// Runs `body` with one agent, alice, whose signaling the test controls.
func withAlice(
    guaranteesDelivery: Bool = true,
    _ configure: (inout AgentConfiguration) -> Void = { _ in },
    _ body: (_ alice: Party, _ signaling: FakeSignaling) async throws -> Void
) async throws {
    var configuration = AgentConfiguration.standard
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
