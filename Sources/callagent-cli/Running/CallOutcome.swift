internal import CallAgent

/// One call of a command, after its end.
struct CallOutcome: Sendable {
    let report: CallReport
    /// What the call refused to do, a line each.
    let complaints: [String]

    /// Why the call was not what was asked for; nil when it was.
    var failure: Failure? {
        if let end = report.end, let failure = Failure(end) { return failure }
        return complaints.first.map { Failure(.expectation, $0) }
    }
}
