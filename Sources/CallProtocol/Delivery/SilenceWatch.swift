/// Detects that the other end of a connection is silent; client and server watch each other with it.
///
/// A plain value: the owner of the connection reports what it hears, calls ``check(at:)`` when due, and acts on the result.
package struct SilenceWatch: Sendable {
    /// What the owner has to do now.
    package enum Verdict: Sendable, Equatable {
        /// Nothing; check again after this time.
        case wait(Duration)
        /// Ping the other end, and check again after this time.
        case ping(Duration)
        /// The other end has been silent for too long: give it up.
        case givenUp(after: Duration)
    }

    /// How long the other end may be silent before it is pinged.
    private let interval: Duration
    /// How long it may be silent despite pings.
    private let timeout: Duration
    private var lastHeard: ContinuousClock.Instant
    /// How long the other end has been silent while this end was able to receive.
    private var silence = Duration.zero
    /// The pause between the last check and the next one.
    private var delay: Duration

    /// The first check is due after `interval`.
    package init(interval: Duration, timeout: Duration, now: ContinuousClock.Instant) {
        (self.interval, self.timeout) = (interval, timeout)
        (lastHeard, delay) = (now, interval)
    }

    /// Something arrived, of any kind.
    package mutating func heard(at now: ContinuousClock.Instant) {
        lastHeard = now
        silence = .zero
    }

    /// Whether nothing arrived since `earlier`, a former value of this watch.
    package func isUnheard(since earlier: SilenceWatch) -> Bool { lastHeard == earlier.lastHeard }

    /// Decides what to do about the silence.
    ///
    /// A stopped process, or an overloaded machine, has not read what waits in its sockets. So however late the check is, the time
    /// since the last one counts only as much as planned.
    package mutating func check(at now: ContinuousClock.Instant) -> Verdict {
        silence = min(silence + delay, now - lastHeard)
        guard silence < timeout else { return .givenUp(after: silence) }
        let isDue = silence >= interval
        delay = isDue ? interval : interval - silence
        return isDue ? .ping(delay) : .wait(delay)
    }
}
