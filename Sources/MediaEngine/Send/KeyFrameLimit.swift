internal import Dispatch
internal import Synchronization

/// Bounds how often the peer has this end make a key frame, which is many times as large as what asks for it (RFC 4585 PLI, RFC 5104 FIR).
///
/// What is asked for too early is made up for: who has lost a picture asks once, and is to have its key frame after one interval at the latest.
final class KeyFrameLimit: Sendable {
    private struct State {
        var last: ContinuousClock.Instant?
        var isOwed = false
    }
    private let state = Mutex(State())
    private let interval: Duration
    private let later: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    private let make: @Sendable () -> Void

    /// `later` runs what it is given after a time; `make` has the encoder make a key frame.
    init(
        interval: Duration, later: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
        make: @escaping @Sendable () -> Void
    ) {
        self.interval = interval
        self.later = later
        self.make = make
    }

    /// The same on a queue.
    convenience init(interval: Duration, on queue: DispatchQueue, make: @escaping @Sendable () -> Void) {
        self.init(
            interval: interval, later: { queue.asyncAfter(deadline: .now() + $0 / .seconds(1), execute: $1) },
            make: make)
    }

    /// Whether a request goes on to the encoder at once.
    func admits(at now: ContinuousClock.Instant = .now) -> Bool {
        let wait: Duration? = state.withLock { state in
            guard let last = state.last, now < last + interval else {
                state.last = now
                return .zero
            }
            guard !state.isOwed else { return nil }
            state.isOwed = true
            return last + interval - now
        }
        guard let wait, wait > .zero else { return wait != nil }
        later(wait) { [weak self] in self?.makeUp(at: now + wait) }
        return false
    }

    private func makeUp(at moment: ContinuousClock.Instant) {
        state.withLock { $0 = State(last: moment) }
        make()
    }
}
