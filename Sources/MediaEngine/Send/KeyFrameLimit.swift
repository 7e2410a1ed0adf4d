internal import Dispatch
internal import Synchronization

/// Limits how often the peer can request a key frame, which is many times as large as the request (RFC 4585 PLI, RFC 5104 FIR).
///
/// A request that is too early is answered later: a peer that has lost a frame asks once, and gets its key frame after one interval at
/// the latest.
final class KeyFrameLimit: Sendable {
    private struct State {
        var last: ContinuousClock.Instant?
        var isPending = false
        var congestion = Congestion()
    }
    private let state = Mutex(State())
    private let interval: Duration
    /// The interval while a queue on the path is full, which a key frame would fill again.
    static let congestedInterval = Duration.seconds(1)
    private let later: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    private let make: @Sendable () -> Void

    /// `later` runs a closure after a time; `make` makes the encoder produce a key frame.
    init(
        interval: Duration, later: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
        make: @escaping @Sendable () -> Void
    ) {
        self.interval = interval
        self.later = later
        self.make = make
    }

    /// Makes a limit that uses a queue for `later`.
    convenience init(interval: Duration, on queue: DispatchQueue, make: @escaping @Sendable () -> Void) {
        self.init(
            interval: interval, later: { queue.asyncAfter(deadline: .now() + $0 / .seconds(1), execute: $1) },
            make: make)
    }

    /// Whether a request passes to the encoder at once.
    func admits(at now: ContinuousClock.Instant = .now) -> Bool {
        let wait: Duration? = state.withLock { state in
            guard let last = state.last, now < last + interval(state, at: now) else {
                state.last = now
                return .zero
            }
            guard !state.isPending else { return nil }
            state.isPending = true
            return last + interval(state, at: now) - now
        }
        guard let wait, wait > .zero else { return wait != nil }
        later(wait) { [weak self] in self?.makeUp(at: now + wait) }
        return false
    }

    /// Whether a queue on the path is full.
    func setCongested(_ isCongested: Bool) { state.withLock { $0.congestion.note(isCongested) } }

    private func interval(_ state: State, at now: ContinuousClock.Instant) -> Duration {
        state.congestion.isPresent(at: now) ? max(interval, Self.congestedInterval) : interval
    }

    private func makeUp(at moment: ContinuousClock.Instant) {
        state.withLock { ($0.last, $0.isPending) = (moment, false) }
        make()
    }
}
