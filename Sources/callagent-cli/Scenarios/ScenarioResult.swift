internal import CallAgent
internal import MediaEngine

/// One end of a call of a scenario, after its end.
struct PlayedCall: Sendable {
    let party: String
    let ended: EndedCall
    var report: CallReport { ended.report }
    /// Empty if nothing was measured meanwhile.
    let series: [CallMoment]
}

/// What flowed in a call since the moment before.
struct CallMoment: Sendable {
    /// Since the start of the scenario.
    let ms: Double
    let receivedKbit: Double
    let framesPerSecond: Double?
    let lossPercent: Double?
    let frozenMs: Double?
    let frameDelayMs: Double?
    let audioLevel: Double?

    init(ms: Double, _ delta: StatisticsDelta) {
        self.ms = ms
        receivedKbit = delta.inbound.reduce(0) { $0 + $1.kbitPerSecond }
        let video = delta.inbound.first { $0.kind == "video" }
        framesPerSecond = video?.framesPerSecond
        (frozenMs, frameDelayMs) = (video?.totalFreezesDurationMs, video?.frameDelayMs.map { max(0, $0) })
        audioLevel = delta.inbound.first { $0.kind == "audio" }?.audioLevel
        let (lost, received) = delta.inbound.reduce((0, 0)) { ($0.0 + $1.packetsLost, $0.1 + $1.packetsReceived) }
        lossPercent = lost + received > 0 ? Double(lost) / Double(lost + received) * 100 : nil
    }
}

/// What became of a scenario.
struct ScenarioResult: Sendable {
    /// An expectation of a party's calls, judged.
    struct Judged: Sendable {
        let party: String
        let outcome: Expectation.Outcome
    }

    /// A call of a party that failed.
    struct FailedCall: Sendable {
        let party: String
        let failure: Failure
    }

    let scenario: Scenario
    let steps: [StepOutcome]
    let calls: [PlayedCall]
    /// The calls of each page.
    let pageCalls: [String: [PageCall]]
    let expectations: [Judged]
    let failedCalls: [FailedCall]
    let isInterrupted: Bool
    let seconds: Double
    /// What failed first; nil if it passed or was interrupted.
    let failure: Failure?

    var isPass: Bool { failure == nil && !isInterrupted }

    /// Of a scenario without calls, since something was missing.
    init(_ scenario: Scenario, failure: Failure) {
        (self.scenario, self.failure) = (scenario, failure)
        (steps, calls, pageCalls, expectations, failedCalls) = ([], [], [:], [], [])
        (isInterrupted, seconds) = (false, 0)
    }

    /// - Parameter isOver: whether all calls had ended in time.
    init(
        _ scenario: Scenario, _ steps: [StepOutcome], _ calls: [PlayedCall], _ pageCalls: [String: [PageCall]],
        isOver: Bool, isInterrupted: Bool, seconds: Double
    ) {
        (self.scenario, self.steps, self.isInterrupted, self.seconds) = (scenario, steps, isInterrupted, seconds)
        (self.calls, self.pageCalls) = (calls, pageCalls)
        expectations = isInterrupted ? [] : Self.judge(scenario, calls, pageCalls)
        failedCalls = isInterrupted ? [] : Self.failures(scenario, calls, pageCalls)
        guard !isInterrupted else {
            failure = nil
            return
        }
        if let failed = failedCalls.first {
            failure = Failure(failed.failure.status, "\(failed.party): \(failed.failure.line)")
        } else if let step = steps.first(where: { $0.complaint != nil }) {
            failure = Failure(.expectation, "line \(step.step.line): \(step.step.title): \(step.complaint ?? "")")
        } else if !isOver {
            let limit = scenario.limit.defaultValueDescription
            failure = Failure(
                .expectation,
                "calls were still up after \(limit); end them with hangup or 'duration', or raise 'within'")
        } else {
            let unmet = expectations.first { $0.outcome.complaint != nil }
            failure = unmet.map { Failure(.expectation, "\($0.party): \($0.outcome.complaint ?? "")") }
        }
    }

    /// The calls of each party that runs here.
    var documents: [String: PartyDocument] {
        let here = scenario.parties.filter(\.isHere)
        return Dictionary(uniqueKeysWithValues: here.map { ($0.name, Self.document(of: $0, calls, pageCalls)) })
    }

    private static func document(
        of party: ScenarioParty, _ calls: [PlayedCall], _ pageCalls: [String: [PageCall]]
    ) -> PartyDocument {
        guard party.browser == nil else { return .page(PageCallsDocument(pageCalls[party.name] ?? [])) }
        return .agent(CallsDocument(calls.filter { $0.party == party.name }.map(\.ended)))
    }

    private static func judge(
        _ scenario: Scenario, _ calls: [PlayedCall], _ pageCalls: [String: [PageCall]]
    ) -> [Judged] {
        scenario.parties.flatMap { party in
            let expected = scenario.expectations.filter { $0.party == party.name }.map(\.expectation)
            return Output.outcomes(in: document(of: party, calls, pageCalls), expected)
                .map { Judged(party: party.name, outcome: $0) }
        }
    }

    private static func failures(
        _ scenario: Scenario, _ calls: [PlayedCall], _ pageCalls: [String: [PageCall]]
    ) -> [FailedCall] {
        let ofPages = scenario.parties.filter { !scenario.judgesEnds(of: $0.name) }.flatMap { party in
            (pageCalls[party.name] ?? []).compactMap(\.failure).map { FailedCall(party: party.name, failure: $0) }
        }
        return calls.compactMap { failure(of: $0, scenario) } + ofPages
    }

    /// Why a call fails as it would in `callagent call`, unless an expectation judges its end.
    private static func failure(of call: PlayedCall, _ scenario: Scenario) -> FailedCall? {
        guard let options = scenario.party(call.party)?.options else { return nil }
        let end = call.report.end.flatMap { Failure($0, peer: call.report.peer) }
        guard end == nil || !scenario.judgesEnds(of: call.party) else { return nil }
        let outcome = CallOutcome(
            ended: call.ended, complaints: [],
            missing: call.report.captureFaults.first { !options.source.allowsStandIn($0) },
            requiresMedia: options.sink.requireMedia)
        return outcome.failure.map { FailedCall(party: call.party, failure: $0) }
    }
}
