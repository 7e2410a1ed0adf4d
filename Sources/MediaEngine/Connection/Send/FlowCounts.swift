internal import Synchronization

/// When a track started to send, and how many frames it dropped.
final class FlowCounts: Sendable {
    private let state = Mutex<(first: ContinuousClock.Instant?, dropped: Int)>((nil, 0))

    func begin(at moment: ContinuousClock.Instant) { state.withLock { $0.first = $0.first ?? moment } }
    func drop() { state.withLock { $0.dropped += 1 } }

    var dropped: Int { state.withLock { $0.dropped } }
    /// 0 before the first frame.
    var seconds: Double { state.withLock { $0.first }.map { (ContinuousClock.now - $0) / .seconds(1) } ?? 0 }
}
