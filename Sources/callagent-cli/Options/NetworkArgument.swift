internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// A network as words: `lte`, `delay=40ms,loss=5%`, `lte,rate=2M`, or `rate=4M/10s:rate=500k`.
struct NetworkArgument: ExpressibleByArgument, Sendable, Equatable {
    let schedule: NetworkSchedule
    /// As it was written.
    let text: String

    static let form =
        "NAME, KEY=VALUE,… or NAME,KEY=VALUE,…; names: \(NetworkSchedule.known.map(\.name).joined(separator: ", ")); "
        + keys + "; later changes: /TIME:KEY=VALUE,…, such as rate=4M/10s:rate=500k"
    private static let keys =
        "keys: delay, jitter, loss, burst, reorder, rate, queue, such as delay=40ms,loss=5%,rate=2M"

    init?(argument: String) { try? self.init(parsing: argument) }

    /// - Throws: a `ValidationError` that says which part is wrong.
    init(parsing text: String) throws {
        let phases = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var schedule = NetworkSchedule()
        var parts = Self.parts(phases[0])
        if let known = NetworkSchedule(named: parts[0]) {
            schedule = known
            parts.removeFirst()
        }
        // What is set once holds all the time: steps,delay=100ms
        try Self.set(parts, &schedule.conditions)
        for index in schedule.changes.indices { try Self.set(parts, &schedule.changes[index].conditions) }
        for phase in phases.dropFirst() {
            let words = phase.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, let time = DurationArgument(argument: words[0])?.duration else {
                throw ValidationError("'\(phase)' is no change of a network; use TIME:KEY=VALUE,…")
            }
            // A change keeps the values that it does not name.
            var conditions = schedule.changes.last?.conditions ?? schedule.conditions
            try Self.set(Self.parts(words[1]), &conditions, form: "KEY=VALUE,…; \(Self.keys)")
            schedule.changes.append(.init(after: time, conditions: conditions))
        }
        if let complaint = schedule.complaint { throw ValidationError("'\(text)': \(complaint)") }
        (self.schedule, self.text) = (schedule, text)
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func set(
        _ parts: [String], _ conditions: inout NetworkConditions, form: String = form
    ) throws {
        for part in parts {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, set(words[0], words[1], &conditions) else {
                throw ValidationError("'\(part)' is no condition of a network; use \(form)")
            }
        }
    }

    private static func set(_ key: String, _ value: String, _ conditions: inout NetworkConditions) -> Bool {
        let number: Double? =
            switch key {
            case "delay", "jitter", "queue": milliseconds(value)
            case "loss", "reorder": percent(value)
            case "burst": Double(value)
            case "rate": bitrate(value)
            default: nil
            }
        guard let number else { return false }
        switch key {
        case "delay": conditions.delayMs = number
        case "jitter": conditions.jitterMs = number
        case "queue": conditions.queueMs = number
        case "loss": conditions.lossPercent = number
        case "reorder": conditions.reorderedPercent = number
        case "burst": conditions.burst = number
        default: conditions.bitrate = number
        }
        return true
    }

    private static func milliseconds(_ text: String) -> Double? {
        DurationArgument(argument: text).map { Double($0.milliseconds) }
    }

    private static func percent(_ text: String) -> Double? { text.hasSuffix("%") ? Double(text.dropLast()) : nil }

    /// Such as `500k`, `2M` or `800000` bit/s.
    private static func bitrate(_ text: String) -> Double? {
        switch text.last {
        case "k": Double(text.dropLast()).map { $0 * 1_000 }
        case "M": Double(text.dropLast()).map { $0 * 1_000_000 }
        default: Double(text)
        }
    }
}

extension MediaConfiguration {
    /// Prepares an emulated network without conditions for calls that a script gives some later.
    mutating func emulateNetwork(for script: ScriptOptions?) {
        let changes = script?.at.contains { if case .network = $0.action { true } else { false } } ?? false
        if changes, network == nil { network = NetworkEmulator() }
    }
}
