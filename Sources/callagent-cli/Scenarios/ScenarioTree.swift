internal import CallAgent
internal import Foundation

/// A scenario's result for a person: what passed and what did not, with the value that failed.
struct ScenarioTree {
    /// A line of the tree.
    struct Entry {
        let isGood: Bool
        let text: String
        /// What is wrong; nil if nothing is.
        let complaint: String?

        var line: String {
            "\(isGood ? "✓" : "✗") \(text)\(complaint.map { text.isEmpty ? $0 : ": \($0)" } ?? "")"
        }
    }

    private let result: ScenarioResult

    init(_ result: ScenarioResult) { self.result = result }

    /// The scenario itself.
    var title: Entry {
        let time = String(format: " (%.1f s)", result.seconds)
        let interrupted = result.isInterrupted ? ", interrupted" : ""
        return Entry(
            isGood: result.isPass, text: result.scenario.name.printable + time + interrupted, complaint: nil)
    }

    var steps: [Entry] {
        result.steps.map { outcome in
            let time = outcome.atMs.map { "\(NoticeLine.time($0))  " } ?? "    –  "
            return Entry(
                isGood: outcome.complaint == nil, text: time + outcome.step.title, complaint: outcome.complaint)
        }
    }

    var calls: [Entry] {
        result.failedCalls.map { Entry(isGood: false, text: "\($0.party)", complaint: $0.failure.line) }
    }

    var expectations: [Entry] {
        result.expectations.map { judged in
            let outcome = judged.outcome
            let text = "\(judged.party): \(outcome.expectation.description)"
            let value = outcome.actual.map { " (\(number($0)))" } ?? ""
            return outcome.complaint.map { Entry(isGood: false, text: judged.party, complaint: $0) }
                ?? Entry(isGood: true, text: text + value, complaint: nil)
        }
    }

    /// What kept the scenario from having calls, or them from ending.
    var obstacle: Entry? {
        let isElsewhere = (steps + calls + expectations).contains { !$0.isGood }
        guard let failure = result.failure, !isElsewhere else { return nil }
        return Entry(isGood: false, text: "", complaint: failure.line)
    }

    var entries: [Entry] { steps + calls + expectations + (obstacle.map { [$0] } ?? []) }

    var lines: [String] { [title.line] + entries.map { "  \($0.line)" } }

    private func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? String(Int(value)) : String(format: "%.2f", value)
    }
}
