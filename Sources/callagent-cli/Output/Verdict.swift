internal import CallAgent

/// What a command's calls came to, told once in all the forms that were asked for.
struct Verdict {
    /// The command, for the report.
    let command: String
    /// Each call, with why it was not what was asked for.
    var calls: [(report: CallReport, failure: Failure?)] = []
    /// Why the command ended before its calls did.
    var failure: Failure?

    /// Checks the expectations, writes the JUnit report, and fails with what went wrong first.
    ///
    /// - Throws: a ``Failure`` if anything was not as asked for.
    func conclude(_ document: some Encodable, _ expectations: ExpectOptions) throws(Failure) {
        let checked = failure == nil ? Output.complaints(about: document, expectations.expect) : []
        if let path = expectations.junit {
            try JUnitReport(
                name: "callagent \(command)", cases: calls.enumerated().map(callCase) + checked.map(expectationCase),
                error: failure?.line
            ).write(to: path)
        }
        if let failure { throw failure }
        if let failure = calls.lazy.compactMap(\.failure).first { throw failure }
        if let complaint = checked.lazy.compactMap(\.complaint).first { throw Failure(.expectation, complaint) }
    }

    /// Runs what comes before the calls; if it fails, the report says so, too.
    static func preparing<Result>(
        _ command: String, _ expectations: ExpectOptions, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let failure as Failure {
            try Verdict(command: command, failure: failure).conclude([String: Int](), expectations)
            throw failure
        }
    }

    private func callCase(_ index: Int, _ call: (report: CallReport, failure: Failure?)) -> JUnitReport.Case {
        JUnitReport.Case(
            className: "callagent.\(command)",
            name: "call \(index + 1) \(call.report.role == .caller ? "to" : "of") \(call.report.peer)",
            seconds: (call.report.timeline.milliseconds(of: .ended) ?? 0) / 1_000, failure: call.failure?.line)
    }

    private func expectationCase(_ checked: (expectation: Expectation, complaint: String?)) -> JUnitReport.Case {
        JUnitReport.Case(
            className: "callagent.expect", name: checked.expectation.description, seconds: 0, failure: checked.complaint
        )
    }
}
