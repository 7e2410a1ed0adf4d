/// Tells how late the messages of a peer arrive, compared with the fastest one so far.
///
/// A value without a clock. The clocks of the two ends need not agree, since only differences count. A peer with a clock that jumps makes messages seem late, or not.
struct MessageLateness: Sendable, Equatable {
    private var least: Double?

    /// No message is known to be later.
    static let maximum = Duration.seconds(3_600)

    /// Takes the time at which a message was sent, by the peer's clock, and at which it arrived, by the clock of this end; both in ms since 1970.
    mutating func note(sentUnixMs sent: Double, receivedUnixMs received: Double) -> Duration {
        let delay = received - sent
        guard delay.isFinite else { return .zero }
        let fastest = min(least ?? delay, delay)
        least = fastest
        return min(.milliseconds(min(delay - fastest, 1e9)), Self.maximum)
    }
}
