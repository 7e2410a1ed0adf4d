/// Whether a queue on the path is full, as far as is known: after a while without news it is not.
struct Congestion: Sendable {
    private static let memory = Duration.seconds(2)
    private var until: ClockReading?
    /// How long the queue takes to empty if nothing more is sent; nil: it is not known.
    private(set) var backlog: Duration?

    mutating func note(_ isPresent: Bool, backlog: Duration? = nil, at now: ClockReading = .now) {
        (until, self.backlog) = isPresent ? (now + Self.memory, backlog) : (nil, nil)
    }

    func isPresent(at now: ClockReading = .now) -> Bool { until.map { now < $0 } ?? false }
}
