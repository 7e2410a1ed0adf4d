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
        var check = Check(self)
        for call in (document as? [String: Any])?["calls"] as? [Any] ?? [] { check.add(call) }
        return check.outcome(in: document)
    }

    /// The comparison of many calls with an expectation, one call after the other.
    struct Check {
        let expectation: Expectation
        private var calls = 0
        private var numbers = Sample()
        /// The first number that meets the expectation.
        private var met: Double?
        /// The first call that does not, with its number.
        private var unmet: (call: String, number: Double)?
        /// The first call that has no such number, and why.
        private var missing: (call: String, reason: String)?

        init(_ expectation: Expectation) { self.expectation = expectation }

        /// - Parameter call: its JSON object.
        mutating func add(_ call: Any) {
            defer { calls += 1 }
            guard let number = Expectation.number(at: expectation.path, in: call) else {
                missing = missing ?? (name(of: call), reason(in: call))
                return
            }
            numbers.add(number)
            if expectation.comparison.holds(number, expectation.number) {
                met = met ?? number
            } else {
                unmet = unmet ?? (name(of: call), number)
            }
        }

        /// - Parameter document: what has the calls, for paths that begin at its root.
        func outcome(in document: Any) -> Outcome {
            let root = document as? [String: Any] ?? [:]
            if let first = expectation.path.first, root[first] != nil {
                guard let value = Expectation.number(at: expectation.path, in: root) else {
                    return lacking(first == "summary" ? "the summary" : "the document", ", because no call has it")
                }
                return judged(value)
            }
            guard calls > 0 else { return failed("but there was no call") }
            // Of any call one number is enough; a call without the number would make that of the others look like all.
            if let missing, expectation.scope != .any || numbers.count == 0 {
                guard expectation.scope == .any, calls > 1 else { return lacking(missing.call, missing.reason) }
                return failed("but no call has such a figure\(missing.reason)")
            }
            switch expectation.scope {
            case .all: return judgedAll
            case .any: return judgedAny
            case .min, .median, .p95, .max: return judged(Spread(numbers).map { $0[expectation.scope] } ?? 0)
            }
        }

        private func judged(_ value: Double) -> Outcome {
            expectation.comparison.holds(value, expectation.number)
                ? Outcome(expectation: expectation, actual: value) : failed("but it is \(value.brief)", value)
        }

        private var judgedAll: Outcome {
            if let unmet { return failed("but it is \(unmet.number.brief) in \(unmet.call)", unmet.number) }
            return Outcome(
                expectation: expectation, actual: expectation.comparison.isUpperBound ? numbers.max : numbers.min)
        }

        private var judgedAny: Outcome {
            if let met { return Outcome(expectation: expectation, actual: met) }
            let (least, most) = (numbers.min ?? 0, numbers.max ?? 0)
            let place =
                numbers.count == 1
                ? "\(least.brief) in the only call" : "\(least.brief) to \(most.brief) in \(numbers.count) calls"
            return failed("but it is \(place)", expectation.comparison.isUpperBound ? least : most)
        }

        private func failed(_ text: String, _ value: Double? = nil) -> Outcome {
            Outcome(
                expectation: expectation, actual: value,
                complaint: "expected \(expectation.description), \(text)")
        }

        private func lacking(_ place: String, _ reason: String) -> Outcome {
            failed("but \(place) has no such figure\(reason)")
        }

        /// Such as `call 3 (with bob, id 5F2C…)`.
        private func name(of call: Any) -> String {
            // A call of the demo has both its ends.
            let object = call as? [String: Any]
            let end = object?["caller"] as? [String: Any] ?? object
            guard let peer = end?["peer"] as? String, let id = end?["callId"] as? String else {
                return "call \(calls + 1)"
            }
            return "call \(calls + 1) (with \(peer), id \(id))"
        }

        private func reason(in call: Any) -> String {
            Figures.absence(of: expectation.path, in: call as? [String: Any] ?? [:])
        }
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
