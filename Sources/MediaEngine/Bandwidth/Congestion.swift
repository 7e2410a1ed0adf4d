/// Whether a queue on the path is full, as far as is known: after a while without news it is not.
struct Congestion: Sendable {
    private static let memory = Duration.seconds(2)
    private var until: ContinuousClock.Instant?

    mutating func note(_ isPresent: Bool, at now: ContinuousClock.Instant = .now) {
        until = isPresent ? now + Self.memory : nil
    }

    func isPresent(at now: ContinuousClock.Instant = .now) -> Bool { until.map { now < $0 } ?? false }
}
