internal import CallAgent

/// A call that has ended, and why it failed: small, since a load has hundreds of thousands.
struct JudgedCall {
    let peer: String
    let role: CallRole
    let isConnected: Bool
    /// From `call()` or the invitation; nil if no frame was decoded.
    let firstFrameMs: Double?
    /// How long it took in all.
    let seconds: Double
    /// Nil if the call succeeded.
    var failure: Failure?

    init(call: CallDocument, failure: Failure?) {
        (peer, role, isConnected) = (call.peer, call.role, call.isConnected)
        firstFrameMs = call.milliseconds(of: .firstVideoFrame)
        seconds = (call.milliseconds(of: .ended) ?? 0) / 1_000
        self.failure = failure
    }
}

/// The result of a command's calls, reported once in all requested forms.
struct Verdict {
    /// The command, for the report.
    let command: String
    var calls: [JudgedCall] = []
    /// Why the command ended before its calls did.
    var failure: Failure?
    /// The expectations, compared with all calls already; nil: the document has all calls.
    var checks: [Expectation.Check]?

    /// Checks the expectations, prints the verdict, writes the JUnit report, and throws what failed.
    ///
    /// - Parameter output: how the command prints its calls; nil: it prints nothing, since there was no call.
    /// - Throws: a ``Failure`` if a call failed or an expectation was not met.
    func conclude(
        _ document: some Encodable, _ expectations: ExpectOptions, _ output: OutputOptions?
    ) throws(Failure) {
        let outcomes = failure == nil ? outcomes(in: document, expectations.expect) : []
        let failure = failure(outcomes)
        if let output {
            if output.json {
                Output.document(JudgedDocument(document: document, verdict: VerdictDocument(failure, outcomes)))
            } else if !output.events, !calls.isEmpty, Interruption.status == nil {
                Output.line(line(failure, outcomes))
            }
        }
        if let path = expectations.junit {
            let report = JUnitReport(
                name: "callagent \(command)", cases: calls.enumerated().map(callCase) + outcomes.map(expectationCase),
                error: self.failure?.line)
            try WritableFile.afterCalls(failure) { () throws(Failure) in try report.write(to: path) }
        }
        if let failure { throw failure }
    }

    private func outcomes(in document: some Encodable, _ expectations: [Expectation]) -> [Expectation.Outcome] {
        guard let checks else { return Output.outcomes(in: document, expectations) }
        guard !checks.isEmpty, let object = Output.object(document) else { return [] }
        return checks.map { $0.outcome(in: object) }
    }

    /// Runs the preparation of the calls; the report includes its failure, too.
    static func preparing<Result>(
        _ command: String, _ expectations: ExpectOptions, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let failure as Failure {
            try Verdict(command: command, failure: failure).conclude([String: Int](), expectations, nil)
            throw failure
        }
    }

    /// What failed, with a line for every expectation that was not met.
    private func failure(_ outcomes: [Expectation.Outcome]) -> Failure? {
        if let failure { return failure }
        let unmet = outcomes.compactMap(\.complaint)
        if let failure = calls.lazy.compactMap(\.failure).first {
            return Failure(failure.status, failure.line, after: unmet)
        }
        guard let last = unmet.last else { return nil }
        guard outcomes.count > 1 else { return Failure(.expectation, last) }
        let count = "\(unmet.count) of \(outcomes.count) expectations \(unmet.count == 1 ? "was" : "were") not met"
        return Failure(.expectation, count, after: unmet)
    }

    /// Such as `pass: 1 of 1 calls connected, 2 of 2 expectations met`.
    private func line(_ failure: Failure?, _ outcomes: [Expectation.Outcome]) -> String {
        let connected = calls.count(where: \.isConnected)
        let met = outcomes.count { $0.complaint == nil }
        return "\(failure == nil ? "pass" : "fail"): \(connected) of \(calls.count) calls connected"
            + (outcomes.isEmpty ? "" : ", \(met) of \(outcomes.count) expectations met")
            // All connected, and yet it failed: say why.
            + (failure.map { met == outcomes.count && connected == calls.count ? "; \($0.line)" : "" } ?? "")
    }

    private func callCase(_ index: Int, _ judged: JudgedCall) -> JUnitReport.Case {
        JUnitReport.Case(
            className: "callagent.\(command)",
            name: "call \(index + 1) \(judged.role == .caller ? "to" : "of") \(judged.peer)",
            seconds: judged.seconds, failure: judged.failure?.line)
    }

    private func expectationCase(_ outcome: Expectation.Outcome) -> JUnitReport.Case {
        JUnitReport.Case(
            className: "callagent.expect", name: outcome.expectation.description, seconds: 0,
            failure: outcome.complaint)
    }
}
