internal import Dispatch
internal import Synchronization

/// Spreads the packets of large frames over time, so that a key frame does not fill the queue of a narrow path.
///
/// It blocks the thread that encodes. So there is no queue of its own: while a frame waits, the capture drops its oldest frames. Only a path that is known
/// to be narrow is paced: elsewhere frames leave at once. Of the first frame only a part does, since nobody knows the path yet.
final class Pacer: Sendable {
    /// What may leave of the first frame before the peer has reported on it.
    private struct InitialWindow {
        /// In bytes.
        var rest = Pacer.initialWindow
        /// Which frame is the first one; nil before it.
        var frame: Int?
        /// When the next packet leaves, and the rest, without reports; nil while nothing waits for them.
        var (next, end): (ClockReading?, ClockReading?)
        /// Until one more packet leaves.
        var wait = Pacer.firstWait

        mutating func admit(_ bytes: Int, at now: ClockReading) {
            rest -= bytes
            guard rest < 0 else { return }
            let end = end ?? now + Pacer.longestInitialWait
            (next, self.end) = (min(now + wait, end), end)
            wait *= 2
        }
    }

    private struct State {
        var window: InitialWindow?
        /// Whether a frame has left, or waits.
        var hasBegun = false
        /// In bit/s; nil: at once.
        var bitrate: Double?
        /// The lowest rate for the packets of the present frame, in bit/s.
        var lowest = 0.0
        /// When all that was sent has passed, at this rate.
        var isFreeAt = ClockReading.now
        /// When the packet may leave that waits; nil: none does.
        var due: ClockReading?
        /// The frames that reached the encoder, and how many of them may no longer leave.
        var frames = 0
        var discarded = 0
        /// All frames are dropped until then; nil: they are not.
        var discardEnd: ClockReading?

        var isDiscarded: Bool { isDiscardingAll || frames <= discarded && discarded > 0 }
        var isDiscardingAll: Bool { discardEnd.map { .now < $0 } ?? false }

        /// Nothing limits the frames after the first one.
        mutating func beginFrame() {
            hasBegun = true
            if let first = window?.frame, first != frames { window = nil }
            window?.frame = frames
        }

        /// When the packet leaves that waits.
        var departure: ClockReading { max(due ?? .now, window?.next ?? .now) }

        /// How long a packet takes.
        func duration(_ bytes: Int) -> Duration {
            bitrate.map { .seconds(Double(bytes) * 8 / max($0, lowest)) } ?? .zero
        }
    }
    /// So much may be sent at once: a pause for each packet would be dear.
    private static let burst = Duration.milliseconds(10)
    /// No packet waits longer.
    private static let longest = Duration.milliseconds(250)
    /// No frame takes longer, in s: what the path does not take in that time is lost anyway.
    private static let longestFrame = 0.5
    /// Ten packets, with which TCP connections begin, too (RFC 6928).
    private static let initialWindow = 12_600
    /// Then one more packet leaves, since GStreamer reports every 50 ms, but only when a packet arrives.
    ///
    /// The next ones wait twice as long each: on a narrow path they are not needed.
    private static let firstWait = Duration.milliseconds(55)
    /// The first frame does not wait where the round trip is shorter: local networks are fast.
    static let localRoundTrip = Duration.milliseconds(20)
    /// The size may become the former one again before any frame comes.
    private static let longestDiscard = Duration.seconds(1)
    /// Some peers report late, or never.
    private static let longestInitialWait = Duration.seconds(1)
    private let state = Mutex(State())
    private let changed = DispatchSemaphore(value: 0)

    /// The rate in bit/s, headers included; nil: packets pass at once.
    ///
    /// What waits leaves sooner at a higher rate: the path takes more than it seemed to.
    func set(bitrate: Double?) {
        let isSooner = state.withLock { state in
            let (now, former) = (ClockReading.now, state.bitrate)
            state.bitrate = bitrate
            let factor = bitrate.map { max(former ?? 0, state.lowest) / max($0, state.lowest) } ?? 0
            guard factor < 1 else { return false }
            state.isFreeAt = now + max(state.isFreeAt - now, .zero) * factor
            state.due = state.due.map { now + max($0 - now, .zero) * factor }
            return state.due != nil
        }
        if isSooner { changed.signal() }
    }

    /// Lets the first frame leave in full only after ``notePath()``, or a second.
    func awaitPath() { state.withLock { if !$0.hasBegun { $0.window = InitialWindow() } } }

    /// What the path takes is known by now.
    func notePath() {
        let wasWaiting = state.withLock { state in
            defer { state.window = nil }
            return state.window?.next != nil
        }
        if wasWaiting { changed.signal() }
    }

    /// Whether a packet waits for its time, and the encoder with it.
    var isWaiting: Bool { state.withLock { $0.due != nil } }

    /// Drops what still waits, and what the encoder makes of the frame that it has.
    func discard() {
        state.withLock { state in
            state.discarded = state.frames
            (state.discardEnd, state.isFreeAt) = (nil, .now)
        }
        changed.signal()
    }

    /// Drops what waits, and all that follows until ``endDiscarding()``, or for a second: by then no frame of a former size is left.
    func discardAll() {
        state.withLock { $0.discardEnd = .now + Self.longestDiscard }
        changed.signal()
    }

    /// Drops no frame any more that reaches the encoder from now on.
    func endDiscarding() { if state.withLock(\.isDiscardingAll) { discard() } }

    /// Counts the frames that reach `sink`, an encoder; add it in front of what holds frames back.
    func count(_ sink: Pad) {
        sink.probe { [self] _ in
            state.withLock { $0.frames += 1 }
            return .pass
        }
    }

    /// Paces what leaves `source`, a payloader; `onDrop` runs for each packet that is discarded.
    func pace(_ source: Pad, onDrop: @escaping @Sendable () -> Void) {
        source.pushOneByOne { [self] bytes in
            let isPaced = state.withLock { state in
                state.lowest = Double(bytes) * 8 / Self.longestFrame
                state.beginFrame()
                return state.bitrate != nil || state.window != nil || state.isDiscardingAll
            }
            guard isPaced else { return nil }
            return { [self] bytes in
                let isAdmitted = admits(bytes + PacketReport.overhead)
                if !isAdmitted { onDrop() }
                return isAdmitted
            }
        }
    }

    /// Waits until a packet may pass; false when its frame was discarded.
    func admits(_ bytes: Int) -> Bool {
        let isAdmitted = state.withLock { state in
            guard !state.isDiscarded else { return false }
            let now = ClockReading.now
            // After a much lower rate nothing waits longer than usual.
            let begin = min(max(state.isFreeAt, now), now + Self.longest)
            state.isFreeAt = begin + state.duration(bytes)
            state.due = begin - Self.burst
            state.window?.admit(bytes, at: now)
            return true
        }
        guard isAdmitted else { return false }
        defer { state.withLock { $0.due = nil } }
        while true {
            let wait = state.withLock { state in state.isDiscarded ? nil : state.departure - .now }
            guard let wait else { return false }
            guard wait > .zero else { return true }
            _ = changed.wait(timeout: .now() + wait / .seconds(1))
        }
    }
}
