internal import CallAgent
internal import Logging
internal import MediaEngine
internal import Synchronization

/// The agents and pages of a running scenario, their calls, and what happened to them.
final class ScenarioCast: Sendable {
    private struct Followed {
        let party: String
        let call: Call
        /// Nil: it sends none.
        let messages: TestMessages?
        var hasEnded = false
        var series: [CallMoment] = []
    }

    private struct State {
        var calls: [Followed] = []
        /// When something happened, each time.
        var moments: [ScenarioCondition: [ContinuousClock.Instant]] = [:]
        /// How many calls of a party are on their way to their callee.
        var placing: [String: Int] = [:]
        /// Why a step's call could not be placed.
        var refusals: [Int: String] = [:]
        var tasks: [Task<Void, Never>] = []
        var pages: [String: PageUser] = [:]
        var start = ContinuousClock.now

        mutating func withCall(_ call: Call, _ body: (inout Followed) -> Void) {
            guard let index = calls.firstIndex(where: { $0.call === call }) else { return }
            body(&calls[index])
        }
    }

    /// Has an element after something happened, for one reader.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private let state = Mutex(State())
    private let scenario: Scenario
    private let agents: [String: Agent]
    private let browsers: [String: String]
    private let url: String
    private let log: LogOptions
    private let networks: [String: NetworkEmulator]
    /// The network of the scenario's own; nil: it has none.
    private let network: ScenarioNetwork?

    /// - Parameters:
    ///   - configurations: those of the parties that have an agent here.
    ///   - browsers: the paths of the browsers of those that have a page.
    init(
        _ scenario: Scenario, _ configurations: [String: AgentConfiguration], browsers: [String: String],
        _ engine: Engine, network: ScenarioNetwork?, url: String, _ log: LogOptions
    ) {
        self.network = network
        (self.scenario, self.browsers, self.url, self.log) = (scenario, browsers, url, log)
        // One element is enough for a reader to look.
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        var agents: [String: Agent] = [:]
        for party in scenario.parties {
            guard let options = party.options, let configuration = configurations[party.name] else { continue }
            let transport = options.tokens.transport(
                url: url, device: options.identity.device, logger: log.logger("signaling"))
            agents[party.name] = Agent(
                user: party.user, media: engine, signaling: transport, configuration: configuration,
                logger: log.logger(party.name))
        }
        self.agents = agents
        networks = configurations.compactMapValues(\.media.network)
    }

    /// What the calls of a party send through; nil: no emulated network.
    func network(of party: String) -> NetworkEmulator? { networks[party] }

    /// Does what may happen to the machine of a party.
    func perform(_ change: PartyMachine.Change, at party: ScenarioParty) async throws(Failure) {
        try await network?.perform(change, at: party.name)
    }

    // MARK: Beginning and end

    /// Signs all parties in; from then on they answer calls.
    func signIn() async throws(Failure) {
        for party in scenario.parties {
            if let browser = browsers[party.name] {
                let page = try await PageUser(
                    party, browser: browser, url: url, log: log.logger(party.name),
                    note: { [weak self] in self?.note($0, of: party) })
                state.withLock { $0.pages[party.name] = page }
            }
            guard let agent = agents[party.name] else { continue }
            do throws(CallError) { try await agent.prepare() } catch { throw Failure(error) }
            keep(
                Task {
                    for await event in agent.events { self.note(event, of: party) }
                })
            keep(
                Task {
                    for await call in agent.incomingCalls {
                        self.follow(call, of: party) { await party.options?.conduct(call) }
                    }
                })
        }
        state.withLock { $0.start = .now }
    }

    /// Hangs up, signs out, and waits for what was begun.
    func close() async {
        let pages = state.withLock { Array($0.pages.values) }
        await withTaskGroup { group in
            for page in pages { group.addTask { await page.close() } }
            for agent in agents.values { group.addTask { await agent.close() } }
        }
        while let task = state.withLock({ $0.tasks.popLast() }) { await task.value }
        change.finish()
    }

    /// When all parties were signed in.
    var start: ContinuousClock.Instant { state.withLock { $0.start } }

    private func keep(_ task: Task<Void, Never>) { state.withLock { $0.tasks.append(task) } }

    // MARK: What there is

    /// When `condition` held for the time with this index, from 0; nil if it has not yet.
    func moment(of condition: ScenarioCondition, _ index: Int) -> ContinuousClock.Instant? {
        state.withLock { state in
            let moments = state.moments[condition] ?? []
            return index < moments.count ? moments[index] : nil
        }
    }

    /// The calls of a party, oldest first, and whether each has ended.
    func calls(of party: String) -> [(call: Call, hasEnded: Bool)] {
        state.withLock { $0.calls.filter { $0.party == party }.map { ($0.call, $0.hasEnded) } }
    }

    /// Whether a party's call is on its way.
    func isPlacing(_ party: String) -> Bool { state.withLock { $0.placing[party] ?? 0 > 0 } }

    /// Whether no call is up or on its way.
    var isQuiet: Bool {
        state.withLock { state in
            state.calls.allSatisfy(\.hasEnded) && state.placing.values.allSatisfy { $0 == 0 }
                && state.pages.values.allSatisfy(\.isQuiet)
        }
    }

    /// The page of a party; nil if it has none.
    func page(of party: String) -> PageUser? { state.withLock { $0.pages[party] } }

    /// The calls of each page after their end, in the order in which they began.
    var pageCalls: [String: [PageCall]] { state.withLock { $0.pages.mapValues(\.calls) } }

    /// Why the call of a step could not be placed; nil if it was.
    func refusal(of step: Int) -> String? { state.withLock { $0.refusals[step] } }

    /// All calls after their end, in the order in which they began here.
    func playedCalls() async -> [PlayedCall] {
        var played: [PlayedCall] = []
        for followed in state.withLock({ $0.calls }) {
            played.append(
                PlayedCall(
                    party: followed.party,
                    ended: EndedCall(report: await followed.call.report(), messages: followed.messages?.figures),
                    series: followed.series))
        }
        return played
    }

    // MARK: Calls

    /// Begins a call; the caller hangs up when the scenario's duration is over.
    func place(_ media: CallMedia, from party: ScenarioParty, to callee: String, step: Int) {
        guard let agent = agents[party.name], let start = party.options?.start else { return }
        state.withLock { $0.placing[party.name, default: 0] += 1 }
        let task = Task { [duration = scenario.duration] in
            do throws(CallError) {
                let call = try await agent.call(
                    callee, media: media, sends: MediaState(audio: start.audio ?? .on, video: start.video ?? .on),
                    output: !start.startOutputOff)
                self.follow(call, of: party) {
                    guard let duration, (try? await call.waitUntilConnected()) != nil else { return }
                    guard (try? await Task.sleep(for: duration)) != nil else { return }
                    await call.hangUp()
                }
            } catch {
                self.state.withLock { $0.refusals[step] = error.description.printable }
            }
            self.state.withLock { $0.placing[party.name, default: 1] -= 1 }
            self.change.yield()
        }
        keep(task)
    }

    /// Notes what happens to a call; `conduct` is cancelled at its end.
    private func follow(_ call: Call, of party: ScenarioParty, conduct: @escaping @Sendable () async -> Void) {
        let events = call.events
        let messages = party.options?.sendsMessages == true ? TestMessages() : nil
        let isNew = state.withLock { state in
            // When both users call each other, their two calls become one.
            guard !state.calls.contains(where: { $0.call === call }) else { return false }
            state.calls.append(Followed(party: party.name, call: call, messages: messages))
            return true
        }
        guard isNew else { return keep(Task { await conduct() }) }
        change.yield()
        let conducting = Task { await conduct() }
        let messaging = Task { await messages?.run(on: call) }
        let following = Task {
            var passed = Set(await call.report().timeline.milliseconds.keys)
            for stage in passed { self.note([stage.rawValue], of: party) }
            var words = EventWords(peerSends: await call.peerSends)
            for await event in events {
                switch event {
                case .reached(let stage, _):
                    if passed.insert(stage).inserted { self.note([stage.rawValue], of: party) }
                case .statistics(let statistics):
                    let moment = CallMoment(ms: (ContinuousClock.now - self.start).inMilliseconds, statistics.delta)
                    self.state.withLock { $0.withCall(call) { $0.series.append(moment) } }
                default: self.note(words.words(of: event, call), of: party)
                }
            }
            if passed.insert(.ended).inserted { self.note([CallTimeline.Stage.ended.rawValue], of: party) }
            conducting.cancel()
            messaging.cancel()
            self.state.withLock { $0.withCall(call) { $0.hasEnded = true } }
            self.change.yield()
        }
        keep(following)
    }

    private func note(_ event: AgentEvent, of party: ScenarioParty) {
        guard let document = EventDocument(event, of: party.user) else { return }
        note(EventWords.words(of: document), of: party)
    }

    private func note(_ words: [String], of party: ScenarioParty) {
        let now = ContinuousClock.now
        state.withLock { state in
            for word in words {
                state.moments[ScenarioCondition(party: party.name, word: word), default: []].append(now)
            }
        }
        change.yield()
    }
}
