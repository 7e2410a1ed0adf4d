internal import Dispatch
internal import Synchronization

/// Limits how often the peer can request a key frame, which is many times as large as the request (RFC 4585 PLI, RFC 5104 FIR).
///
/// A request that is too early is answered later: a peer that has lost a frame asks once, and gets its key frame after one interval at
/// the latest. While a queue on the path is full it would fill it again, and get lost itself: then it follows when the queue is empty. An encoder
/// of the track's own makes nothing meanwhile, since the peer can decode nothing without it.
final class KeyFrameLimit: Sendable {
    private struct State {
        var last: ClockReading?
        /// When a request is answered that was too early.
        var due: ClockReading?
        var congestion = Congestion()
        var isHolding = false

        /// When a request is answered, and whether nothing is sent until then.
        func answer(
            at now: ClockReading, _ interval: Duration
        ) -> (due: ClockReading, holds: Bool) {
            let due = max(last.map { $0 + interval } ?? now, now)
            guard congestion.isPresent(at: now) else { return (due, false) }
            let wait = min(congestion.backlog ?? KeyFrameLimit.longestWait, KeyFrameLimit.longestWait)
            // The peer does not have the last one yet.
            if let last, now < last + interval + wait { return (max(due, last + interval + wait), false) }
            return (max(due, now + wait), congestion.backlog != nil)
        }
    }
    private let state = Mutex(State())
    private let interval: Duration
    /// No request waits longer for an empty queue.
    fileprivate static let longestWait = Duration.seconds(1)
    private let later: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    private let hold: @Sendable (Bool) -> Void
    private let make: @Sendable () -> Void

    /// `later` runs a closure after a time; `hold` begins or ends a time in which no frame is sent; `make` makes the encoder produce a key frame.
    init(
        interval: Duration, later: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
        hold: @escaping @Sendable (Bool) -> Void = { _ in }, make: @escaping @Sendable () -> Void
    ) {
        self.interval = interval
        self.later = later
        self.hold = hold
        self.make = make
    }

    /// Makes a limit that uses a queue for `later`.
    convenience init(
        interval: Duration, on queue: DispatchQueue, hold: @escaping @Sendable (Bool) -> Void = { _ in },
        make: @escaping @Sendable () -> Void
    ) {
        self.init(
            interval: interval, later: { queue.asyncAfter(deadline: .now() + $0 / .seconds(1), execute: $1) },
            hold: hold, make: make)
    }

    /// Whether a request passes to the encoder at once.
    func admits(at now: ClockReading = .now) -> Bool {
        let (isAdmitted, due): (Bool, ClockReading?) = state.withLock { state in
            guard state.due == nil else { return (false, nil) }
            let (due, holds) = state.answer(at: now, interval)
            guard due > now else {
                state.last = now
                return (true, nil)
            }
            (state.due, state.isHolding) = (due, holds)
            // Under the lock, as its end: the last one counts.
            if holds { hold(true) }
            return (false, due)
        }
        if let due {
            later(due - now) { [weak self] in self?.makeUp(what: due, at: due) }
        }
        return isAdmitted
    }

    /// Asks for a key frame like the peer.
    func request() { if admits() { make() } }

    /// Whether a queue on the path is full, and how long it takes to empty if nothing more is sent; nil: it is not known.
    func setCongested(_ isCongested: Bool, backlog: Duration? = nil, at now: ClockReading = .now) {
        let due: ClockReading? = state.withLock { state in
            state.congestion.note(isCongested, backlog: backlog, at: now)
            let isTooEarly = state.last.map { now < $0 + interval } ?? false
            return isCongested || isTooEarly ? nil : state.due
        }
        if let due { makeUp(what: due, at: now) }
    }

    /// Answers what is due then, unless that has happened.
    private func makeUp(what due: ClockReading, at moment: ClockReading) {
        let isHolding: Bool? = state.withLock { state in
            guard state.due == due else { return nil }
            (state.last, state.due) = (moment, nil)
            defer { state.isHolding = false }
            return state.isHolding
        }
        guard let isHolding else { return }
        make()
        // The next frame is the key frame.
        if isHolding { hold(false) }
    }
}
