/// The results of several scenarios, reported once in all requested forms.
struct ScenarioSuite {
    /// In the order of the command line; without those that did not begin.
    let results: [ScenarioResult]
    /// How many there are in all.
    let count: Int

    var passed: Int { results.count(where: \.isPass) }
    var failed: Int { results.count { $0.failure != nil } }
    var notRun: Int { count - passed - failed }

    /// The first failure gives the exit code, and each has a line.
    var failure: Failure? {
        let failed = results.filter { $0.failure != nil }
        guard let first = failed.first?.failure else { return nil }
        let lines = failed.map { "\($0.scenario.label): \($0.failure?.line ?? "")" }
        guard count > 1 else { return Failure(first.status, lines[0]) }
        return Failure(first.status, "\(failed.count) of \(count) scenarios failed", after: lines)
    }

    /// Such as `pass: 20 of 20 scenarios`.
    var line: String {
        "\(failure == nil ? "pass" : "fail"): \(passed) of \(count) scenarios"
    }

    /// A test case for each step, each expectation, and each call or other thing that failed.
    var junit: JUnitReport {
        let cases = results.flatMap { result in
            let tree = ScenarioTree(result)
            let className = "callagent.test.\(result.scenario.name)"
            let steps = tree.steps.enumerated().map { index, entry in
                let title = result.steps[index].step.title
                return JUnitReport.Case(
                    className: className, name: "step \(index + 1): \(title)", seconds: 0, failure: entry.complaint)
            }
            let expectations = result.expectations.map {
                JUnitReport.Case(
                    className: className, name: "\($0.party): \($0.outcome.expectation.description)", seconds: 0,
                    failure: $0.outcome.complaint)
            }
            let calls = tree.calls.enumerated().map { index, entry in
                JUnitReport.Case(
                    className: className, name: "failed call \(index + 1): \(entry.text)", seconds: 0,
                    failure: entry.complaint)
            }
            let whole = JUnitReport.Case(
                className: className, name: "the scenario", seconds: result.seconds,
                failure: tree.obstacle?.complaint)
            return [whole] + steps + calls + expectations
        }
        return JUnitReport(
            name: "callagent test", cases: cases,
            error: notRun > 0 ? "interrupted: \(notRun) of \(count) scenarios were not run to their end" : nil)
    }
}
