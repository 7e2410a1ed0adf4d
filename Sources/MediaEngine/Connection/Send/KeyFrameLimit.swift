internal import Dispatch
internal import Synchronization

/// Limits how often the peer can request a key frame, which is many times as large as the request (RFC 4585 PLI, RFC 5104 FIR).
///
/// A request that is too early is answered later: a peer that has lost a frame asks once, and gets its key frame after one interval at
/// the latest. While a queue on the path is full it would fill it again, and get lost itself: then it follows when the queue is empty.
final class KeyFrameLimit: Sendable {
    private struct State {
        var last: ContinuousClock.Instant?
        /// When a request is answered that was too early.
        var due: ContinuousClock.Instant?
        var congestion = Congestion()
    }
    private let state = Mutex(State())
    private let interval: Duration
    /// No request waits longer for an empty queue.
    private static let longestWait = Duration.seconds(1)
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
        let (isAdmitted, due): (Bool, ContinuousClock.Instant?) = state.withLock { state in
            guard state.due == nil else { return (false, nil) }
            var due = max(state.last.map { $0 + interval } ?? now, now)
            if state.congestion.isPresent(at: now) { due = max(due, now + Self.longestWait) }
            guard due > now else {
                state.last = now
                return (true, nil)
            }
            state.due = due
            return (false, due)
        }
        if let due {
            later(due - now) { [weak self] in
                guard let self, state.withLock({ $0.due == due }) else { return }
                makeUp(at: due)
            }
        }
        return isAdmitted
    }

    /// Asks for a key frame like the peer.
    func request() { if admits() { make() } }

    /// Whether a queue on the path is full.
    func setCongested(_ isCongested: Bool, at now: ContinuousClock.Instant = .now) {
        let isDue = state.withLock { state in
            state.congestion.note(isCongested, at: now)
            return !isCongested && state.due != nil && state.last.map { now >= $0 + interval } ?? true
        }
        if isDue { makeUp(at: now) }
    }

    private func makeUp(at moment: ContinuousClock.Instant) {
        state.withLock { ($0.last, $0.due) = (moment, nil) }
        make()
    }
}
