internal import Synchronization

/// The last buffer that passed a pad, and its time.
final class LatestBuffer: Sendable {
    private struct State {
        var buffer: BufferRef?
        var at: ClockReading?
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

    /// When the last buffer passed; nil before the first.
    var at: ClockReading? { state.withLock { $0.at } }

    func remember(_ passing: PassingBuffer) -> ProbeVerdict {
        let buffer = keeps ? passing.reference : nil
        let isFirst = state.withLock { state in
            let isFirst = state.at == nil
            if keeps { state.buffer = buffer }
            state.at = .now
            return isFirst
        }
        if isFirst { onFirst() }
        return .pass
    }

    /// Drops the buffer, because the caps change.
    func forget() { state.withLock { $0.buffer = nil } }
}
