internal import Synchronization

/// What passed a pad last, and when.
final class LatestBuffer: Sendable {
    private struct State {
        var buffer: BufferRef?
        var at: ContinuousClock.Instant?
    }
    private let state = Mutex(State())
    private let keeps: Bool
    private let onFirst: @Sendable () -> Void

    /// `keeps` the buffer itself; `onFirst` is called once, on the streaming thread.
    init(keeps: Bool, onFirst: @escaping @Sendable () -> Void) {
        self.keeps = keeps
        self.onFirst = onFirst
    }

    var buffer: BufferRef? { state.withLock { $0.buffer } }

    /// When the last one passed; nil when none did.
    var at: ContinuousClock.Instant? { state.withLock { $0.at } }

    func remember(_ buffer: BufferRef) -> ProbeVerdict {
        let isFirst = state.withLock { state in
            defer { state = State(buffer: keeps ? buffer : nil, at: .now) }
            return state.at == nil
        }
        if isFirst { onFirst() }
        return .pass
    }

    /// The shape of what follows is another.
    func forget() { state.withLock { $0.buffer = nil } }
}
