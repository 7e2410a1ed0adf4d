internal import ArgumentParser

/// A duration as a person writes it: `2s`, `500ms`, `1.5s`, `2m`, `1h`.
struct DurationArgument: ExpressibleByArgument, Equatable {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        for (suffix, milliseconds) in [("ms", 1.0), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)] {
            guard argument.hasSuffix(suffix), let number = Double(argument.dropLast(suffix.count)) else { continue }
            // A day is more than any option here means, and keeps the arithmetic within bounds.
            guard number.isFinite, number >= 0, number * milliseconds <= 86_400_000 else { return nil }
            duration = .milliseconds(Int64(number * milliseconds))
            return
        }
        return nil
    }

    var defaultValueDescription: String {
        let milliseconds =
            Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
        if milliseconds > 0, milliseconds % 3_600_000 == 0 { return "\(milliseconds / 3_600_000)h" }
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
    }

    var milliseconds: Int {
        Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }
}
