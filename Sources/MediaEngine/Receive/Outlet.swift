internal import Synchronization

/// Hands what may be seen or heard to whoever wants it: windows and speakers, the application, snapshots.
///
/// It stands behind the receive gate, or behind a capture. Runs on the streaming thread; its consumers neither block nor fail.
final class Outlet: Sendable {
    private struct Consumer: Sendable {
        let take: @Sendable (OutletBuffer) -> Void
        let onEnd: @Sendable () -> Void
    }

    private struct State {
        var consumers: [Int: Consumer] = [:]
        var lastNumber = 0
        var latest: OutletBuffer?
        var hasEnded = false
    }
    private let state = Mutex(State())
    let kind: MediaKind

    init(_ kind: MediaKind) { self.kind = kind }

    /// The picture that passed last; nil before the first, and of sound.
    var latest: OutletBuffer? { state.withLock { $0.latest } }

    /// Hands on what passes `pad`, behind the probes that were there before.
    func watch(_ pad: Pad) {
        pad.observe { [weak self] buffer, pad in
            guard let self, isNeeded, let caps = pad.currentCaps, let time = pad.runningTime(of: buffer) else { return }
            self.hand(OutletBuffer(buffer: buffer, caps: caps, time: time))
        }
    }

    /// Whether somebody takes what passes: pictures are kept for whoever comes later.
    private var isNeeded: Bool { kind == .video || state.withLock { !$0.consumers.isEmpty } }

    private func hand(_ buffer: OutletBuffer) {
        let consumers = state.withLock { state in
            if kind == .video, !state.hasEnded { state.latest = buffer }
            return state.consumers.isEmpty ? [] : Array(state.consumers.values)
        }
        for consumer in consumers { consumer.take(buffer) }
    }

    /// Hands everything from now on to `take`, until it is removed; `onEnd` hears when nothing comes any more.
    func add(
        _ take: @escaping @Sendable (OutletBuffer) -> Void, onEnd: @escaping @Sendable () -> Void = {}
    ) -> Int {
        let (number, hasEnded) = state.withLock { state in
            state.lastNumber += 1
            if !state.hasEnded { state.consumers[state.lastNumber] = Consumer(take: take, onEnd: onEnd) }
            return (state.lastNumber, state.hasEnded)
        }
        if hasEnded { onEnd() }
        return number
    }

    func remove(_ number: Int) { state.withLock { $0.consumers[number] = nil } }

    /// Nothing comes any more.
    func end() {
        let consumers = state.withLock { state in
            defer { (state.consumers, state.latest, state.hasEnded) = ([:], nil, true) }
            return Array(state.consumers.values)
        }
        for consumer in consumers { consumer.onEnd() }
    }
}
