/// The conditions of a network over time.
public struct NetworkSchedule: Sendable, Equatable {
    /// Other conditions from some time on.
    public struct Change: Sendable, Equatable {
        /// Since the first packet.
        public var after: Duration
        /// From then on.
        public var conditions: NetworkConditions

        /// Makes a change.
        public init(after: Duration, conditions: NetworkConditions) {
            self.after = after
            self.conditions = conditions
        }
    }

    /// At the beginning.
    public var conditions: NetworkConditions
    /// In order of time.
    public var changes: [Change]

    /// A network with these conditions, and others later.
    public init(_ conditions: NetworkConditions = NetworkConditions(), then changes: [Change] = []) {
        self.conditions = conditions
        self.changes = changes
    }

    /// Why it cannot be used; nil if it can.
    public var complaint: String? {
        let times = changes.map(\.after)
        guard zip([.zero] + times, times).allSatisfy(<) else { return "each change is later than the one before" }
        return ([conditions] + changes.map(\.conditions)).compactMap(\.complaint).first
    }
}

extension NetworkSchedule {
    /// Typical networks by name, one direction each.
    public static let known: [(name: String, schedule: NetworkSchedule)] = [
        ("none", fixed()),
        ("dsl", fixed(delayMs: 15, jitterMs: 2, bitrate: 2_000_000)),
        ("lte", fixed(delayMs: 30, jitterMs: 15, lossPercent: 0.3, bitrate: 8_000_000)),
        ("3g", fixed(delayMs: 75, jitterMs: 25, lossPercent: 1, bitrate: 750_000)),
        ("wifi-bad", fixed(delayMs: 5, jitterMs: 40, lossPercent: 4, burst: 3, bitrate: 6_000_000)),
        ("satellite", fixed(delayMs: 300, jitterMs: 5, lossPercent: 0.5, bitrate: 5_000_000)),
        ("loss10", fixed(delayMs: 20, lossPercent: 10)),
        ("steps", steps),
    ]

    /// The network of this name; nil if there is none.
    public init?(named name: String) {
        guard let known = Self.known.first(where: { $0.name == name }) else { return nil }
        self = known.schedule
    }

    /// A link that becomes narrow for a while.
    private static var steps: NetworkSchedule {
        var (wide, narrow, middle) = (NetworkConditions(), NetworkConditions(), NetworkConditions())
        (wide.delayMs, narrow.delayMs, middle.delayMs) = (20, 20, 20)
        (wide.bitrate, narrow.bitrate, middle.bitrate) = (4_000_000, 500_000, 2_000_000)
        return NetworkSchedule(
            wide, then: [.init(after: .seconds(3), conditions: narrow), .init(after: .seconds(7), conditions: middle)])
    }

    private static func fixed(
        delayMs: Double = 0, jitterMs: Double = 0, lossPercent: Double = 0, burst: Double = 1, bitrate: Double? = nil
    ) -> NetworkSchedule {
        var conditions = NetworkConditions()
        (conditions.delayMs, conditions.jitterMs) = (delayMs, jitterMs)
        (conditions.lossPercent, conditions.burst, conditions.bitrate) = (lossPercent, burst, bitrate)
        return NetworkSchedule(conditions)
    }
}
