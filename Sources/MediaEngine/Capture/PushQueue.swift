internal import Logging
internal import Synchronization

/// The queue of an application's source: pushes into the `appsrc` of the open bin, if there is one.
final class PushQueue: Sendable {
    private struct State {
        var source: Element?
        var accepted = 0
        var dropped = 0
        var refused = 0
    }
    private let state = Mutex(State())
    private let limit: Int
    private let caps: String
    private let logger: Logger

    /// `limit` is the most buffers that wait; `caps` describe their contents.
    init(limit: Int, caps: String, logger: Logger) {
        self.limit = limit
        self.caps = caps
        self.logger = logger
    }

    /// The number of pushes by outcome.
    func count(_ outcome: PushOutcome) -> Int {
        state.withLock {
            switch outcome {
            case .accepted: $0.accepted
            case .dropped: $0.dropped
            case .refused: $0.refused
            }
        }
    }

    /// Pushes into this bin's `appsrc` from now on; the previous one is closed.
    func bind(_ bin: Element) throws(MediaError) {
        guard let source = bin.child("source") else { throw .noPad(element: "an application's source", pad: "source") }
        try source.set("caps", caps)
        state.withLock { $0.source = source }
    }

    /// Copies the bytes; never blocks.
    ///
    /// `time` is on the clock of all pipelines, in ns; nil means now.
    func push(_ bytes: UnsafeRawBufferPointer, at time: UInt64? = nil) -> PushOutcome {
        let source = state.withLock { $0.source }
        let outcome = Self.push(bytes, source, limit, time)
        let isFirstRefused = state.withLock { state in
            switch outcome {
            case .accepted: state.accepted += 1
            case .dropped: state.dropped += 1
            case .refused: state.refused += 1
            }
            return outcome == .refused && state.refused == 1
        }
        if isFirstRefused { logger.warning("pushed data is refused: no call uses that source") }
        return outcome
    }

    /// Waits for room, up to a limit; false if there is none.
    func hasRoom(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while let source = state.withLock({ $0.source }),
            (source.get("current-level-buffers")?.intValue ?? 0) >= self.limit
        {
            guard ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(2))) != nil else { return false }
        }
        return true
    }

    private static func push(
        _ bytes: UnsafeRawBufferPointer, _ source: Element?, _ limit: Int, _ time: UInt64?
    ) -> PushOutcome {
        guard let source else { return .refused }
        guard (source.get("current-level-buffers")?.intValue ?? limit) < limit else { return .dropped }
        guard let buffer = BufferRef(copying: bytes) else { return .dropped }
        // No buffer can be older than the pipeline.
        if let time { buffer.present(at: time - min(time, source.baseTime)) }
        return source.push(buffer) ? .accepted : .refused
    }
}

/// The result of pushing a frame or samples.
public enum PushOutcome: String, Sendable, Equatable {
    /// Accepted; sent if the call sends this kind at present.
    case accepted
    /// Dropped: the queue is full, because the application pushes too fast.
    case dropped
    /// No call uses this source at present.
    case refused
}
