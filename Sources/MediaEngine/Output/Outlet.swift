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
        var inputs = 0
        /// The input whose media passes; nil: none.
        var selected: Int? = 1 {
            didSet { if selected != oldValue { isFresh = true } }
        }
        /// The inputs that were selected and not released, the latest one last.
        var open: [Int] = []
        /// The time of what passed last, in ns.
        var lastTime: UInt64 = 0
        /// Whether nothing of the selected input has passed since it was selected.
        var isFresh = false
        var latest: OutletBuffer?
        var hasEnded = false
    }
    private let state = Mutex(State())
    let kind: MediaKind

    init(_ kind: MediaKind) { self.kind = kind }

    /// The frame that passed last; nil before the first, and for audio.
    var latest: OutletBuffer? { state.withLock { $0.latest } }

    /// Adds `pad` as an input, behind the probes that were there before; what passes it is passed on while it is selected.
    ///
    /// The first input is selected until another one is.
    @discardableResult
    func watch(_ pad: Pad) -> Int {
        let input = state.withLock { state in
            state.inputs += 1
            return state.inputs
        }
        pad.observe { [weak self] in
            self?.needs(input) == true
        } _: { [weak self] buffer, pad in
            guard let self, let caps = pad.currentCaps, let time = pad.runningTime(of: buffer) else { return }
            self.hand(OutletBuffer(buffer: buffer, caps: caps, time: time), from: input)
        }
        return input
    }

    /// Passes on what arrives at this input from now on, and nothing of the others.
    ///
    /// What is older than what passed before is left out: time never goes back.
    func select(_ input: Int) {
        state.withLock { state in
            state.open.removeAll { $0 == input }
            state.open.append(input)
            state.selected = input
        }
    }

    /// Nothing arrives at this input any more; if it was selected, the one that was selected before it is again.
    ///
    /// A connection that is given up may have been selected after the one that continues: the two do not wait for each other.
    func release(_ input: Int) {
        state.withLock { state in
            state.open.removeAll { $0 == input }
            state.selected = state.open.last ?? state.selected
        }
    }

    /// Whether anybody takes what passes.
    var hasConsumers: Bool { state.withLock { !$0.consumers.isEmpty } }

    /// Whether buffers of this input are needed: always for video, whose latest frame is kept for later consumers.
    private func needs(_ input: Int) -> Bool {
        state.withLock { $0.selected == input && (kind == .video || !$0.consumers.isEmpty) }
    }

    private func hand(_ buffer: OutletBuffer, from input: Int) {
        let consumers = state.withLock { state in
            guard state.selected == input, !state.isFresh || buffer.time > state.lastTime else { return [Consumer]() }
            (state.lastTime, state.isFresh) = (buffer.time, false)
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

    /// Forgets the latest frame, and passes nothing on until an input is selected: the call goes on without this kind.
    func clear() {
        state.withLock { state in
            state.open = []
            (state.selected, state.latest) = (nil, nil)
        }
    }

    /// Ends the outlet and notifies its consumers.
    func end() {
        let consumers = state.withLock { state in
            defer { (state.consumers, state.latest, state.hasEnded) = ([:], nil, true) }
            return Array(state.consumers.values)
        }
        for consumer in consumers { consumer.onEnd() }
    }
}

/// A raw video frame or audio buffer of an outlet.
struct OutletBuffer: Sendable {
    /// Shared with its other users.
    let buffer: BufferRef
    let caps: CapsRef
    /// The presentation time on the clock that all pipelines share, in ns.
    let time: UInt64

    /// ``time`` as a duration.
    var moment: Duration { .nanoseconds(Int64(clamping: time)) }
}
