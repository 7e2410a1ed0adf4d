/// Notices that nothing comes from the other end of a connection any more; client and server watch each other with it.
///
/// A plain value: whoever owns the connection tells it what it hears, asks it when it said so, and does what it answers.
package struct SilenceWatch: Sendable {
    /// What is to be done now.
    package enum Verdict: Sendable, Equatable {
        /// Nothing; ask again after this time.
        case wait(Duration)
        /// Ping the other end, and ask again after this time.
        case ping(Duration)
        /// The other end has been silent for so long that it is given up.
        case givenUp(after: Duration)
    }

    /// How long the other end may be silent before it is pinged.
    private let interval: Duration
    /// How long it may be silent in spite of pings.
    private let timeout: Duration
    private var lastHeard: ContinuousClock.Instant
    /// How long the other end has been silent, as far as this end was awake to hear it.
    private var silence = Duration.zero
    /// How long after the one before the next question should come.
    private var delay: Duration

    /// The first question is due after `interval`.
    package init(interval: Duration, timeout: Duration, now: ContinuousClock.Instant) {
        (self.interval, self.timeout) = (interval, timeout)
        (lastHeard, delay) = (now, interval)
    }

    /// Something came, whatever it was.
    package mutating func heard(at now: ContinuousClock.Instant) {
        lastHeard = now
        silence = .zero
    }

    /// What is to be done about the silence.
    ///
    /// A process that was stopped, or a machine that was overloaded, has not read what waits in its sockets: however late the question
    /// comes, the time since the one before counts for no more than it should have taken.
    package mutating func check(at now: ContinuousClock.Instant) -> Verdict {
        silence = min(silence + delay, now - lastHeard)
        guard silence < timeout else { return .givenUp(after: silence) }
        let isDue = silence >= interval
        delay = isDue ? interval : interval - silence
        return isDue ? .ping(delay) : .wait(delay)
    }
}
