/// The numbers that a field of caps may have.
enum NumberChoice: Sendable, Equatable {
    case oneOf([Double])
    case range(Double, Double)

    init?(_ value: PropertyValue?) {
        switch value {
        case .list(let values):
            let numbers = values.compactMap(\.ratioValue)
            guard !numbers.isEmpty else { return nil }
            self = .oneOf(numbers)
        case .range(let from, let to):
            guard let from = from.ratioValue, let to = to.ratioValue else { return nil }
            self = .range(from, to)
        case .some(let value):
            guard let number = value.ratioValue else { return nil }
            self = .oneOf([number])
        case nil: return nil
        }
    }

    /// The smallest number that is at least `wanted`, or else the largest.
    func best(for wanted: Double) -> Double {
        switch self {
        case .oneOf(let numbers): numbers.filter { $0 >= wanted }.min() ?? numbers.max() ?? wanted
        case .range(let from, let to): Swift.min(Swift.max(wanted, from), to)
        }
    }

    var text: String {
        switch self {
        case .oneOf(let numbers): numbers.map(Self.text).joined(separator: ",")
        case .range(let from, let to): "\(Self.text(from))-\(Self.text(to))"
        }
    }

    private static func text(_ number: Double) -> String {
        guard let whole = Int(exactly: number) else { return String((number * 100).rounded() / 100) }
        return String(whole)
    }
}
