internal import CallAgent

/// Performs the steps of a scenario, one after the other.
struct ScenarioScript {
    private let scenario: Scenario
    private let cast: ScenarioCast
    private var changes: AsyncStream<Void>.Iterator
    private let start: ContinuousClock.Instant
    /// How many times a condition was waited for: each time it takes its next occurrence.
    private var taken: [ScenarioCondition: Int] = [:]
    /// What a call sends now, after actions that changed it.
    private var sources: [ObjectIdentifier: Script.Sources] = [:]
    private var outcomes: [StepOutcome] = []

    init(_ scenario: Scenario, _ cast: ScenarioCast) {
        self.scenario = scenario
        self.cast = cast
        start = cast.start
        changes = cast.changes.makeAsyncIterator()
    }

    /// Runs until all steps are done and all calls have ended, or its task is cancelled.
    ///
    /// - Returns: what became of each step, and whether everything was over.
    mutating func run() async -> (steps: [StepOutcome], isOver: Bool) {
        var base = start
        for step in scenario.steps {
            if let complaint = await wait(for: step, since: &base) {
                outcomes.append(StepOutcome(step: step, complaint: complaint))
                break
            }
            let ms = (ContinuousClock.now - start).inMilliseconds
            var outcome = StepOutcome(step: step, atMs: ms.rounded(toPlaces: 1))
            if let act = step.act { outcome.complaint = await perform(act) }
            outcomes.append(outcome)
        }
        for step in scenario.steps.dropFirst(outcomes.count) {
            outcomes.append(StepOutcome(step: step, complaint: "it did not come that far"))
        }
        let isOver = await until { [cast] in cast.isQuiet }
        for index in outcomes.indices {
            outcomes[index].complaint = outcomes[index].complaint ?? cast.refusal(of: index)
        }
        return (outcomes, isOver)
    }

    /// Waits until a step is due; its complaint if the time is over before.
    private mutating func wait(for step: ScenarioStep, since base: inout ContinuousClock.Instant) async -> String? {
        if let condition = step.condition {
            let index = taken[condition, default: 0]
            taken[condition] = index + 1
            guard await until({ [cast] in cast.moment(of: condition, index) != nil }) else {
                return overText("'\(condition.text.printable)' did not happen")
            }
            base = cast.moment(of: condition, index) ?? base
        }
        guard let time = step.time else { return nil }
        let isDue = (try? await Task.sleep(until: base + time.duration)) != nil
        return isDue ? nil : overText("the scenario was to be over")
    }

    /// Why nothing more happens.
    private func overText(_ complaint: String) -> String {
        Interruption.status == nil
            ? "\(complaint) within \(scenario.limit.defaultValueDescription)" : "the run was interrupted before"
    }

    /// Waits until `condition` holds; false if the time is over before.
    private mutating func until(_ condition: () -> Bool) async -> Bool {
        while !condition() {
            guard await changes.next(isolation: nil) != nil else { return false }
        }
        return true
    }

    // MARK: Acting

    /// - Returns: why the action was refused; nil if it was not.
    private mutating func perform(_ act: ScenarioStep.Act) async -> String? {
        guard let party = scenario.party(act.party) else { return nil }
        if let page = cast.page(of: party.name) { return await perform(act, on: page) }
        guard let options = party.options else { return nil }
        if case .call(let callee, let media) = act.action {
            cast.place(media, from: party, to: scenario.party(callee)?.user ?? callee, step: outcomes.count)
            return nil
        }
        if case .machine(let change) = act.action {
            do throws(Failure) {
                try await cast.perform(change, at: party)
                return nil
            } catch {
                return "failed: \(error.line)"
            }
        }
        guard let call = await call(for: act) else { return "\(party.name) has no call for this" }
        do {
            switch act.action {
            case .call, .machine: break
            case .accept:
                let start = options.start
                try await call.accept(audio: start.audio, video: start.video, output: !start.startOutputOff)
            case .reject(let code): try await call.reject(code: code)
            case .script(let action):
                let script = Script(
                    steps: [], output: nil, source: options.source, network: cast.network(of: party.name))
                var current = sources[ObjectIdentifier(call)] ?? script.initialSources
                defer { sources[ObjectIdentifier(call)] = current }
                try await script.perform(action, call, &current)
            }
            return nil
        } catch {
            return "was refused: \("\(error)".printable)"
        }
    }

    /// - Returns: why the page refused the action; nil if it did not.
    private mutating func perform(_ act: ScenarioStep.Act, on page: PageUser) async -> String? {
        do {
            if case .call(let callee, let media) = act.action {
                let user = scenario.party(callee)?.user ?? callee
                try await page.place(media, to: user, duration: scenario.duration)
                return nil
            }
            let peer = act.peer.flatMap { scenario.party($0)?.user }
            guard await until({ page.hasCall(with: peer) || page.hasEnded }) else {
                return "\(act.party) has no call for this"
            }
            try await page.perform(act.action, peer: peer)
            return nil
        } catch {
            return "was refused: \("\(error)".printable)"
        }
    }

    /// The call that an action is about, as soon as there is one; nil if there is none in time.
    private mutating func call(for act: ScenarioStep.Act) async -> Call? {
        let peer = act.peer.flatMap { scenario.party($0)?.user }
        let party = act.party
        let cast = cast
        func newest() -> Call? {
            let calls = cast.calls(of: party).filter { peer == nil || $0.call.peer == peer }
            return cast.isPlacing(party) ? nil : (calls.last { !$0.hasEnded } ?? calls.last)?.call
        }
        let wasRefused = { [outcomes] in
            // Nothing will come of it.
            !cast.isPlacing(party)
                && outcomes.indices.contains { cast.refusal(of: $0) != nil && outcomes[$0].step.act?.party == party }
        }
        guard await until({ newest() != nil || wasRefused() }) else { return nil }
        return newest()
    }
}

/// What became of a step.
struct StepOutcome: Sendable {
    let step: ScenarioStep
    /// When it was done, since the start; nil if it was not.
    var atMs: Double?
    /// Why it failed; nil if it did not.
    var complaint: String?
}
