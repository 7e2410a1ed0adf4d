internal import CallAgent

/// The calls of a party of a scenario.
enum PartyDocument: Encodable {
    /// As `listen --json` has them.
    case agent(CallsDocument)
    case page(PageCallsDocument)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .agent(let document): try document.encode(to: encoder)
        case .page(let document): try document.encode(to: encoder)
        }
    }
}

/// All scenarios of a run: `--json` prints it.
struct ScenarioDocument: Encodable {
    struct Step: Encodable {
        let line: Int
        let step: String
        let passed: Bool
        /// Since the start of the scenario; missing if it was not done.
        let atMs: Double?
        let text: String?
    }

    struct Judged: Encodable {
        let party: String
        let expectation: String
        let met: Bool
        /// Missing if there was no such number.
        let actual: Double?
        let text: String?
    }

    struct Played: Encodable {
        let file: String
        let name: String
        /// As `--network` says; missing without it.
        let network: String?
        let passed: Bool
        let exitCode: Int32
        /// What failed first.
        let text: String?
        let seconds: Double
        let steps: [Step]
        let expectations: [Judged]
        let parties: [String: PartyDocument]
    }

    struct Verdict: Encodable {
        let exitCode: Int32
        let passed: Int
        let failed: Int
        /// Those that were interrupted or did not begin.
        let notRun: Int
    }

    let scenarios: [Played]
    let verdict: Verdict

    init(_ run: ScenarioSuite) {
        scenarios = run.results.map(Self.played)
        verdict = Verdict(
            exitCode: (Interruption.status ?? run.failure?.status ?? .success).rawValue, passed: run.passed,
            failed: run.failed, notRun: run.notRun)
    }

    private static func played(_ result: ScenarioResult) -> Played {
        Played(
            file: result.scenario.file, name: result.scenario.name, network: result.scenario.network?.text,
            passed: result.isPass,
            exitCode: (result.isInterrupted ? Interruption.status : result.failure?.status)?.rawValue ?? 0,
            text: result.failure?.line, seconds: result.seconds.rounded(toPlaces: 2),
            steps: result.steps.map {
                Step(
                    line: $0.step.line, step: $0.step.title, passed: $0.complaint == nil, atMs: $0.atMs,
                    text: $0.complaint)
            },
            expectations: result.expectations.map {
                Judged(
                    party: $0.party, expectation: $0.outcome.expectation.description, met: $0.outcome.complaint == nil,
                    actual: $0.outcome.actual, text: $0.outcome.complaint)
            },
            parties: result.documents)
    }
}
