internal import Foundation

extension Expectation {
    /// What became of an expectation.
    struct Outcome {
        let expectation: Expectation
        /// The number that decided; nil if there was none.
        var actual: Double?
        /// What is wrong, with the call and its number; nil if the expectation is met.
        var complaint: String?
    }

    /// Compares a document with the expectation.
    func outcome(in document: Any) -> Outcome {
        let root = document as? [String: Any] ?? [:]
        if let first = path.first, root[first] != nil {
            guard let value = Self.number(at: path, in: root) else {
                return missing(first == "summary" ? "the summary" : "the document", ", because no call has it")
            }
            return judged(value)
        }
        let calls = root["calls"] as? [Any] ?? []
        guard !calls.isEmpty else { return failed("but there was no call") }
        let values = calls.map { Self.number(at: path, in: $0) }
        // Of any call one number is enough; a call without the number would make that of the others look like all.
        let present = values.compactMap(\.self)
        guard !present.isEmpty, scope == .any || present.count == values.count else {
            return missing(of: calls, values.firstIndex(of: nil) ?? 0)
        }
        switch scope {
        case .all: return judgedAll(present, calls)
        case .any: return judgedAny(present)
        case .min, .median, .p95, .max: return judged(Spread(present).map { $0[scope] } ?? 0)
        }
    }

    private func judged(_ value: Double) -> Outcome {
        comparison.holds(value, number) ? met(value) : failed("but it is \(value)", value)
    }

    private func judgedAll(_ values: [Double], _ calls: [Any]) -> Outcome {
        guard let index = values.firstIndex(where: { !comparison.holds($0, number) }) else {
            return met(comparison.isUpperBound ? values.max() : values.min())
        }
        return failed("but it is \(values[index]) in \(Self.name(calls[index], index))", values[index])
    }

    private func judgedAny(_ values: [Double]) -> Outcome {
        let (least, most) = (values.min() ?? 0, values.max() ?? 0)
        if let good = values.first(where: { comparison.holds($0, number) }) { return met(good) }
        let place = values.count == 1 ? "\(least) in the only call" : "\(least) to \(most) in \(values.count) calls"
        return failed("but it is \(place)", comparison.isUpperBound ? least : most)
    }

    private func met(_ value: Double?) -> Outcome { Outcome(expectation: self, actual: value) }

    private func failed(_ text: String, _ value: Double? = nil) -> Outcome {
        Outcome(expectation: self, actual: value, complaint: "expected \(description), \(text)")
    }

    private func missing(_ place: String, _ reason: String) -> Outcome {
        failed("but \(place) has no such figure\(reason)")
    }

    private func missing(of calls: [Any], _ index: Int) -> Outcome {
        let reason = Figures.absence(of: path, in: calls[index] as? [String: Any] ?? [:])
        guard scope == .any, calls.count > 1 else { return missing(Self.name(calls[index], index), reason) }
        return failed("but no call has such a figure\(reason)")
    }

    /// Such as `call 3 (to bob, id 5F2C…)`.
    private static func name(_ call: Any, _ index: Int) -> String {
        // A call of the demo has both its ends.
        let object = call as? [String: Any]
        let end = object?["caller"] as? [String: Any] ?? object
        guard let peer = end?["peer"] as? String, let id = end?["callId"] as? String else { return "call \(index + 1)" }
        return "call \(index + 1) (with \(peer), id \(id))"
    }

    private static func number(at path: [String], in root: Any) -> Double? {
        var value: Any? = root
        for name in path {
            if let object = value as? [String: Any] {
                value = object[name]
            } else if let list = value as? [Any], let index = Int(name), list.indices.contains(index) {
                value = list[index]
            } else {
                return nil
            }
        }
        return (value as? NSNumber)?.doubleValue
    }
}

extension Spread {
    fileprivate subscript(scope: Expectation.Scope) -> Double {
        switch scope {
        case .min: min
        case .median, .all, .any: median
        case .p95: p95
        case .max: max
        }
    }
}
