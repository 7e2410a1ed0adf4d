internal import Dispatch
internal import Synchronization

/// Decides which of two encoders makes what a track sends: each frame is sent once, in order, and the first one of another encoder is a key frame.
///
/// The encoders run on different threads, and either may be behind. So the change to a shared encoder happens at a time of capture that no frame has yet:
/// the track's own encoder takes what is captured before it, the shared one what is captured later. On the way back, the shared one goes on until the own one
/// gets a frame, and of audio until the own one has warmed up.
final class EncoderHandover: Sendable {
    private enum Phase {
        /// The track's own encoder.
        case own
        /// What is captured from `beginning` on, a running time in ns, comes from the shared encoder.
        case changing(beginning: UInt64)
        case shared
        /// The shared encoder, until the own one gets a frame or has warmed up.
        case returning
    }
    private struct State {
        var phase = Phase.own
        /// Counts the calls of ``stop()``.
        var epoch = 0
        /// Whether nothing of a shared encoder may be sent.
        var isStopped = false
        /// The time of what the own encoder got last, in ns.
        var lastOwn: UInt64 = 0
        /// Whether the own encoder has made all from before the beginning.
        var ownIsDone = false
        /// Whether the own encoder of audio has paused, and has not warmed up since.
        var ownIsCold = false
        /// From this running time on, in ns, it has warmed up; nil before it gets audio.
        var ownBeginning: UInt64?
        /// What the shared encoder made and was sent ends at this running time, in ns.
        var sharedEnd: UInt64 = 0
        /// How long the last of it lasts, in ns.
        var sharedDuration: UInt64 = 0
        /// The running time of what either encoder made and was sent last, in ns.
        var lastOutput: UInt64 = 0
        /// Until this running time, in ns, what both made may be out of order.
        var orderEnd: UInt64 = 0
        /// After a gap, the peer cannot decode anything else.
        var needsKeyFrame = false
        var passed = 0
        var dropped = 0
        var onReturn: (@Sendable () -> Void)?

        mutating func end() -> (@Sendable () -> Void)? {
            enter(.own)
            return onReturn.take()
        }

        mutating func enter(_ phase: Phase) {
            self.phase = phase
            orderEnd = max(lastOutput, sharedEnd) + EncoderHandover.disorder
        }
    }
    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)
    let kind: MediaKind
    /// The shared encoder does not wait longer for the own one, whose last frames are lost then.
    private static let patience = DispatchTimeInterval.milliseconds(300)
    /// How much later than a change something from before it may come, in ns.
    private static let disorder: UInt64 = 1_000_000_000
    /// How long an encoder of audio runs, in ns, before its packets go to a decoder that had those of another one.
    ///
    /// Opus tells the level of a packet by its difference to the one before (RFC 6716, 4.3.2.1). To a decoder of other packets the first ones are
    /// too loud, up to full scale for 100 ms.
    static let warmUp: UInt64 = 200_000_000

    init(_ kind: MediaKind) { self.kind = kind }

    /// Judges what reaches `input`, that of the own encoder.
    convenience init(_ kind: MediaKind, input: Pad) {
        self.init(kind)
        // Pads own their probes, and this class owns no pad.
        input.filter { [self] _, time in admitsOwn(at: time()) }
    }

    /// Judges what leaves `output`, where the outputs of both encoders meet.
    func watch(_ output: Pad) {
        output.filter { [self] _, time in admitsOutput(at: time()) }
    }

    /// How many frames or packets of the shared encoder passed.
    var passed: Int { state.withLock { $0.passed } }

    /// How many of its frames could not be sent.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Changes with each ``stop()``.
    var epoch: Int { state.withLock { $0.epoch } }

    /// Whether the shared encoder makes what is sent.
    var isShared: Bool {
        switch state.withLock({ $0.phase }) {
        case .own, .changing: false
        case .shared, .returning: true
        }
    }

    /// Whether the shared encoder makes what is sent, and is to go on.
    var staysShared: Bool { if case .shared = state.withLock({ $0.phase }) { true } else { false } }

    /// Changes to the shared encoder at the running time, in ns, that `beginning` chooses: later than what it gets, which the own encoder has.
    ///
    /// - Returns: False after a ``stop()``, and if there was one since `epoch`; then nothing changes.
    func change(since epoch: Int, at beginning: (_ after: UInt64) -> UInt64) -> Bool {
        // Under the lock: no output of the shared encoder is judged between the choice and the change.
        state.withLock { state in
            guard !state.isStopped, state.epoch == epoch, case .own = state.phase else { return false }
            (state.phase, state.ownIsDone) = (.changing(beginning: beginning(state.lastOwn)), false)
            return true
        }
    }

    /// Changes to the own encoder as soon as it gets a frame or has warmed up, at once if the shared one makes nothing.
    func `return`() {
        state.withLock { state in
            switch state.phase {
            case .own, .changing: state.enter(.own)
            case .shared, .returning: state.phase = .returning
            }
        }
    }

    /// Calls `onReturn` when the own encoder makes what is sent, which may be now.
    func whenOwn(_ onReturn: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if case .returning = state.phase {
                state.onReturn = onReturn
                return false
            }
            return true
        }
        if isOver { onReturn() }
    }

    /// Sends nothing of a shared encoder from now on, until ``allow()``.
    func stop() {
        let onReturn = state.withLock { state in
            state.epoch += 1
            state.isStopped = true
            return state.end()
        }
        onReturn?()
    }

    /// A change is possible again.
    func allow() { state.withLock { $0.isStopped = false } }

    /// Gives up the shared encoder at once.
    func abandon() { state.withLock { $0.end() }?() }

    /// The shared encoder did not encode a frame.
    func noteDrop() { state.withLock { $0.dropped += 1 } }

    /// Some output of the shared encoder was lost on its way.
    func noteGap() {
        state.withLock { state in
            state.dropped += 1
            state.needsKeyFrame = kind == .video
        }
    }

    /// Whether captured media goes to the own encoder; on its thread.
    func admitsOwn(at time: UInt64?) -> Bool {
        var onReturn: (@Sendable () -> Void)?
        let (isAdmitted, isDone) = state.withLock { state in
            let time = time ?? max(state.lastOwn, state.sharedEnd)
            switch state.phase {
            case .own:
                guard time >= state.sharedEnd else { return (false, false) }
            case .changing(let beginning):
                if time >= beginning {
                    state.ownIsDone = true
                    return (false, true)
                }
            case .shared: return (false, false)
            case .returning where kind == .audio: break
            case .returning:
                guard time >= state.sharedEnd else { return (false, false) }
                onReturn = state.end()
            }
            state.lastOwn = max(state.lastOwn, time)
            if state.ownIsCold { state.ownBeginning = state.ownBeginning ?? time + Self.warmUp }
            return (true, false)
        }
        if isDone { done.signal() }
        onReturn?()
        return isAdmitted
    }

    /// Whether audio that the own encoder made is sent; on its thread.
    func admitsOwnOutput(at time: @autoclosure () -> UInt64?) -> Bool {
        var onReturn: (@Sendable () -> Void)?
        let isAdmitted = state.withLock { state in
            guard state.ownIsCold else { return true }
            // Packets of two encoders do not begin at the same samples.
            let sharedEnd = state.sharedEnd - min(state.sharedEnd, state.sharedDuration / 2)
            guard let time = time(), let beginning = state.ownBeginning,
                time >= max(beginning, sharedEnd, state.lastOutput + 1)
            else { return false }
            (state.ownIsCold, state.ownBeginning) = (false, nil)
            if case .returning = state.phase { onReturn = state.end() }
            return true
        }
        onReturn?()
        return isAdmitted
    }

    /// Whether output of the shared encoder is sent; on the thread that delivers it, which may wait for the own encoder.
    ///
    /// `end` is when its presentation ends. `onBegin` runs with the first that is sent.
    func admitsShared(at time: UInt64?, until end: UInt64?, isDelta: Bool, onBegin: () -> Void = {}) -> Bool {
        guard let time, isReady(for: time, isDelta: isDelta) else { return false }
        let end = max(end ?? time, time)
        let (isAdmitted, isFirst) = state.withLock { state in
            var isFirst = false
            switch state.phase {
            case .own: return (false, false)
            case .changing:
                state.enter(.shared)
                (state.ownIsCold, state.ownBeginning) = (kind == .audio, nil)
                state.needsKeyFrame = false
                isFirst = true
            case .returning where state.ownIsCold && time >= state.ownBeginning ?? .max: return (false, false)
            case .shared, .returning:
                if state.needsKeyFrame, isDelta {
                    state.dropped += 1
                    return (false, false)
                }
                state.needsKeyFrame = false
            }
            // Frames may be closer than the duration of one.
            state.sharedEnd = max(state.sharedEnd, kind == .audio ? end : time + 1)
            state.sharedDuration = end - time
            state.passed += 1
            return (true, isFirst)
        }
        if isFirst { onBegin() }
        return isAdmitted
    }

    /// Waits until the own encoder has made all that comes before, but not long.
    private func isReady(for time: UInt64, isDelta: Bool) -> Bool {
        let deadline = DispatchTime.now() + Self.patience
        while true {
            let isReady: Bool? = state.withLock { state in
                guard case .changing(let beginning) = state.phase else { return true }
                guard time >= beginning, kind == .audio || !isDelta else { return false }
                return state.ownIsDone ? true : nil
            }
            if let isReady { return isReady }
            guard done.wait(timeout: deadline) == .timedOut else { continue }
            return true
        }
    }

    /// Whether output of either encoder is sent: after a change nothing that is older than what was sent.
    ///
    /// An encoder may have kept a frame or a rest since its last turn, and the other thread may be in the middle of a push.
    func admitsOutput(at time: UInt64?) -> Bool {
        state.withLock { state in
            guard let time else { return true }
            if state.lastOutput <= state.orderEnd, time <= state.lastOutput { return false }
            state.lastOutput = time
            return true
        }
    }
}
