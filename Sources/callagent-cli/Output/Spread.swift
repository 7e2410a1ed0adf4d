internal import Foundation

/// How a number is spread over several calls.
struct Spread: Encodable {
    /// The names of its numbers.
    static let names = ["min", "median", "p95", "max", "first"]

    let min: Double
    let median: Double
    /// The least number that at least 95 % of the calls do not exceed.
    let p95: Double
    let max: Double
    /// Of the first call that has the number; in the first call of a process only `prepare` has warmed anything up.
    let first: Double

    /// Nil for no numbers.
    init?(_ numbers: [Double]) {
        let sorted = numbers.sorted()
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let middle = sorted.count / 2
        let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        min = least.rounded(toPlaces: 2)
        self.median = median.rounded(toPlaces: 2)
        p95 = sorted[(sorted.count * 95 + 99) / 100 - 1].rounded(toPlaces: 2)
        max = most.rounded(toPlaces: 2)
        first = numbers[0].rounded(toPlaces: 2)
    }
}

/// The numbers that several documents have under the same names, and how each is spread.
indirect enum SpreadTree: Encodable {
    case spread(Spread)
    case branches([String: SpreadTree])

    /// Nil without any number.
    ///
    /// A document that lacks a number does not count for it.
    init?(_ documents: [some Encodable]) {
        self.init(values: documents.map { try? JSONSerialization.jsonObject(with: Data(Output.json($0, []).utf8)) })
    }

    private init?(values: [Any?]) {
        let objects = values.compactMap { $0 as? [String: Any] }
        guard objects.isEmpty else {
            let names = Set(objects.flatMap(\.keys))
            let branches = names.compactMap { name in SpreadTree(values: objects.map { $0[name] }).map { (name, $0) } }
            guard !branches.isEmpty else { return nil }
            self = .branches(Dictionary(uniqueKeysWithValues: branches))
            return
        }
        guard let spread = Spread(values.compactMap { ($0 as? NSNumber)?.doubleValue }) else { return nil }
        self = .spread(spread)
    }

    /// The numbers of one name, by the names that lead there.
    subscript(path: String...) -> Spread? {
        let end = path.reduce(self as SpreadTree?) { tree, name in
            guard case .branches(let branches) = tree else { return nil }
            return branches[name]
        }
        guard case .spread(let spread) = end else { return nil }
        return spread
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .spread(let spread): try spread.encode(to: encoder)
        case .branches(let branches): try branches.encode(to: encoder)
        }
    }
}
