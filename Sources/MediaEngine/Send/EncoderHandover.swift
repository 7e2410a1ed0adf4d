internal import Dispatch
internal import Synchronization

/// Decides which of two encoders makes what a track sends: each frame is sent once, in order, and the first one of another encoder is a key frame.
///
/// The encoders run on different threads, and one may be behind the other. So the change happens at a time of capture that no frame has yet: the track's own
/// encoder takes what is captured before it, the shared one what is captured later.
final class EncoderHandover: Sendable {
    private enum Phase {
        /// The track's own encoder.
        case own
        /// What is captured from `beginning` on, a running time in ns, comes from the shared encoder.
        case changing(beginning: UInt64)
        case shared
    }
    private struct State {
        var phase = Phase.own
        /// The time of what the own encoder got last, in ns.
        var lastOwn: UInt64 = 0
        /// Whether the own encoder has made all from before the beginning.
        var ownIsDone = false
        /// What the shared encoder made and was sent ends at this running time, in ns.
        var sharedEnd: UInt64 = 0
        /// After a gap, the peer cannot decode anything else.
        var needsKeyFrame = false
        var passed = 0
    }
    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)
    let kind: MediaKind
    /// A slower own encoder keeps the track.
    private static let patience = DispatchTimeInterval.milliseconds(300)

    init(_ kind: MediaKind) { self.kind = kind }

    /// Judges what reaches `sink`, the input of the own encoder.
    convenience init(_ kind: MediaKind, at sink: Pad) {
        self.init(kind)
        // The pad owns the probe, and this class owns no pad.
        sink.filter { [self] buffer, pad in admitsOwn(at: pad.runningTime(of: buffer)) }
    }

    /// How many frames or packets of the shared encoder passed.
    var passed: Int { state.withLock { $0.passed } }

    var isShared: Bool {
        if case .shared = state.withLock({ $0.phase }) { true } else { false }
    }
    var isChanging: Bool {
        if case .changing = state.withLock({ $0.phase }) { true } else { false }
    }

    /// Changes to the shared encoder at a running time, in ns.
    func change(at beginning: UInt64) {
        state.withLock { state in
            (state.phase, state.ownIsDone) = (.changing(beginning: max(beginning, state.lastOwn + 1)), false)
        }
    }

    /// Changes to the own encoder at once, with what is captured after the last that was sent.
    func changeToOwn() { state.withLock { $0.phase = .own } }

    /// Some output of the shared encoder was lost on its way.
    func noteGap() { state.withLock { $0.needsKeyFrame = true } }

    /// Whether captured media goes to the own encoder; on its thread.
    func admitsOwn(at time: UInt64?) -> Bool {
        let (isAdmitted, isDone) = state.withLock { state in
            let time = time ?? state.lastOwn
            switch state.phase {
            case .own:
                guard time >= state.sharedEnd else { return (false, false) }
            case .changing(let beginning):
                if time >= beginning {
                    state.ownIsDone = true
                    return (false, true)
                }
            case .shared: return (false, false)
            }
            state.lastOwn = max(state.lastOwn, time)
            return (true, false)
        }
        if isDone { done.signal() }
        return isAdmitted
    }

    /// Whether output of the shared encoder is sent; on the thread that delivers it.
    ///
    /// `end` is when its presentation ends. `begin` runs before the first output passes; false: it cannot.
    func admitsShared(at time: UInt64?, until end: UInt64?, isDelta: Bool, begin: () -> Bool) -> Bool {
        guard let time, isReady(for: time, isDelta: isDelta) else { return false }
        return state.withLock { state in
            switch state.phase {
            case .own: return false
            case .changing:
                guard state.ownIsDone, begin() else { return false }
                (state.phase, state.needsKeyFrame) = (.shared, false)
            case .shared:
                guard !(state.needsKeyFrame && isDelta) else { return false }
                state.needsKeyFrame = false
            }
            // Video may be repeated at a smaller distance than its duration.
            state.sharedEnd = max(state.sharedEnd, kind == .audio ? end ?? time : time + 1)
            state.passed += 1
            return true
        }
    }

    /// Waits until the own encoder has made all that comes before.
    private func isReady(for time: UInt64, isDelta: Bool) -> Bool {
        let deadline = DispatchTime.now() + Self.patience
        while true {
            let isReady: Bool? = state.withLock { state in
                guard case .changing(let beginning) = state.phase else { return true }
                guard time >= beginning, kind == .audio || !isDelta else { return false }
                return state.ownIsDone ? true : nil
            }
            if let isReady { return isReady }
            guard done.wait(timeout: deadline) == .success else { return false }
        }
    }
}
