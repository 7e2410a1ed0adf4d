internal import ArgumentParser

/// A duration on the command line: `10` (seconds), `1.5s`, `500ms`, `2m`, `1h`, or parts from long to short such as `1m30s`.
struct DurationArgument: ExpressibleByArgument, Equatable {
    let duration: Duration

    /// Units from long to short, in ms.
    private static let units: [(name: String, milliseconds: Double)] = [
        ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]
    /// A day: more than any useful value, and small enough to prevent overflow.
    private static let longest = 86_400_000.0

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        guard let milliseconds = Self.milliseconds(argument), milliseconds <= Self.longest else { return nil }
        duration = .milliseconds(Int64(milliseconds))
    }

    /// Of any length; nil for what is no duration.
    private static func milliseconds(_ text: String) -> Double? {
        var rest = Substring(text)
        var units = Self.units[...]
        var total = 0.0
        repeat {
            let digits = rest.prefix { $0.isNumber || $0 == "." }
            guard let number = Double(digits), number.isFinite else { return nil }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(name.count)
            // A lone number means seconds.
            let isLone = name.isEmpty && total == 0 && units.count == Self.units.count
            guard let place = units.firstIndex(where: { $0.name == (isLone ? "s" : String(name)) }) else { return nil }
            total += number * units[place].milliseconds
            units = units[(place + 1)...]
        } while !rest.isEmpty
        return total
    }

    /// Why `text` is none; `forms` are what the option takes.
    static func fault(of text: String, forms: [String]) -> String {
        let advice =
            "use \(forms.dropLast().joined(separator: ", "))\(forms.count > 1 ? " or " : "")\(forms.last ?? "")"
        if text.hasPrefix("-"), DurationArgument(argument: String(text.dropFirst())) != nil {
            return "'\(text)' is negative; \(advice)"
        }
        if let milliseconds = milliseconds(text), milliseconds > longest {
            let most = DurationArgument(.milliseconds(Int64(longest))).defaultValueDescription
            return "'\(text)' is too long; the longest is \(most)"
        }
        return "'\(text)' is no duration; \(advice)"
    }

    var defaultValueDescription: String {
        let milliseconds = milliseconds
        if milliseconds > 0, milliseconds % 3_600_000 == 0 { return "\(milliseconds / 3_600_000)h" }
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
    }

    var milliseconds: Int {
        Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }
}

/// How long something lasts, or that it has no end: a ``DurationArgument`` or `forever`.
struct TimeLimit: ExpressibleByArgument, Equatable {
    /// Nil: no end.
    let duration: Duration?

    init(_ duration: Duration?) { self.duration = duration }

    static let forever = TimeLimit(nil)

    init?(argument: String) {
        if argument == "forever" {
            duration = nil
        } else {
            guard let limit = DurationArgument(argument: argument) else { return nil }
            duration = limit.duration
        }
    }

    var defaultValueDescription: String { duration.map { DurationArgument($0).defaultValueDescription } ?? "forever" }
}
