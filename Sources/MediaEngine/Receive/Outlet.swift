internal import Synchronization

/// Passes video or audio to its consumers: windows and speakers, the application, snapshots.
///
/// It is placed behind the receive gate, or behind a capture. Runs on the streaming thread; its consumers neither block nor fail.
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

    /// The frame that passed last; nil before the first, and for audio.
    var latest: OutletBuffer? { state.withLock { $0.latest } }

    /// Passes on what passes `pad`, after the probes that were there before.
    func watch(_ pad: Pad) {
        pad.observe { [weak self] in
            self?.isNeeded == true
        } _: { [weak self] buffer, pad in
            guard let self, let caps = pad.currentCaps, let time = pad.runningTime(of: buffer) else { return }
            self.hand(OutletBuffer(buffer: buffer, caps: caps, time: time))
        }
    }

    /// Whether anybody takes what passes.
    var hasConsumers: Bool { state.withLock { !$0.consumers.isEmpty } }

    /// Whether buffers are needed: always for video, whose latest frame is kept for later consumers.
    private var isNeeded: Bool { kind == .video || state.withLock { !$0.consumers.isEmpty } }

    private func hand(_ buffer: OutletBuffer) {
        let consumers = state.withLock { state in
            if kind == .video, !state.hasEnded { state.latest = buffer }
            return state.consumers.isEmpty ? [] : Array(state.consumers.values)
        }
        for consumer in consumers { consumer.take(buffer) }
    }

    /// Adds a consumer: `take` gets everything from now on until it is removed; `onEnd` is called when the outlet ends.
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

    /// Ends the outlet and notifies its consumers.
    func end() {
        let consumers = state.withLock { state in
            defer { (state.consumers, state.latest, state.hasEnded) = ([:], nil, true) }
            return Array(state.consumers.values)
        }
        for consumer in consumers { consumer.onEnd() }
    }
}
