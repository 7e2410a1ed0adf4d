internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// The conditions of a network as words: `lte`, `delay=40ms,loss=5%`, or `lte,rate=2M`.
struct NetworkArgument: ExpressibleByArgument, Sendable, Equatable {
    let conditions: NetworkConditions
    /// As it was written.
    let text: String

    static let form =
        "NAME, KEY=VALUE,… or NAME,KEY=VALUE,…; names: \(NetworkConditions.known.map(\.name).joined(separator: ", ")); "
        + "keys: delay, jitter, loss, burst, reorder, rate, queue, such as delay=40ms,loss=5%,rate=2M"

    init?(argument: String) { try? self.init(parsing: argument) }

    /// - Throws: a `ValidationError` that says which part is wrong.
    init(parsing text: String) throws {
        var conditions = NetworkConditions()
        for (place, part) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if words.count == 1, place == 0, let known = NetworkConditions(named: words[0]) {
                conditions = known
            } else {
                guard words.count == 2, Self.set(words[0], words[1], &conditions) else {
                    throw ValidationError("'\(part)' is no condition of a network; use \(Self.form)")
                }
            }
        }
        if let complaint = conditions.complaint { throw ValidationError("'\(text)': \(complaint)") }
        (self.conditions, self.text) = (conditions, text)
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
