internal import Foundation
internal import MediaEngine

/// A network with its values, for `lab --list`.
struct NetworkDocument: Encodable {
    private struct Conditions: Encodable {
        let delayMs, jitterMs, lossPercent, burst, reorderedPercent, queueMs: Double
        /// In bit/s; nil: no limit.
        let bitrate: Double?

        init(_ conditions: NetworkConditions) {
            (delayMs, jitterMs, queueMs) = (conditions.delayMs, conditions.jitterMs, conditions.queueMs)
            (lossPercent, burst) = (conditions.lossPercent, conditions.burst)
            (reorderedPercent, bitrate) = (conditions.reorderedPercent, conditions.bitrate)
        }
    }

    private struct Change: Encodable {
        let afterMs: Double
        let conditions: Conditions
    }

    /// As it was asked for.
    private let network: String
    private let conditions: Conditions
    private let changes: [Change]

    init(_ network: NetworkArgument) {
        self.network = network.text
        conditions = Conditions(network.schedule.conditions)
        changes = network.schedule.changes.map {
            Change(afterMs: $0.after / .milliseconds(1), conditions: Conditions($0.conditions))
        }
    }
}

extension NetworkSchedule {
    /// All that the network does, in the form of ``NetworkArgument``.
    var words: String {
        let former = [conditions] + changes.map(\.conditions)
        let later = zip(changes, former).compactMap { change, former in
            change.conditions.words(otherThan: former)
                .map { "/\(Self.number(change.after / .milliseconds(1)))ms:\($0)" }
        }
        return (conditions.words(otherThan: NetworkConditions()) ?? "none") + later.joined()
    }

    /// Without digits that say nothing.
    fileprivate static func number(_ value: Double) -> String { String(format: "%.10g", value) }
}

extension NetworkConditions {
    /// `KEY=VALUE,…` for what is not as in `other`; nil if all is.
    fileprivate func words(otherThan other: NetworkConditions) -> String? {
        func word(_ key: String, _ value: KeyPath<NetworkConditions, Double>, _ unit: String = "") -> String? {
            guard self[keyPath: value] != other[keyPath: value] else { return nil }
            return "\(key)=\(NetworkSchedule.number(self[keyPath: value]))\(unit)"
        }
        let rate = bitrate == other.bitrate ? nil : bitrate.map { "rate=\(NetworkSchedule.number($0 / 1_000))k" }
        let words = [
            word("delay", \.delayMs, "ms"), word("jitter", \.jitterMs, "ms"), word("loss", \.lossPercent, "%"),
            word("burst", \.burst), word("reorder", \.reorderedPercent, "%"), rate, word("queue", \.queueMs, "ms"),
        ].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ",")
    }
}
