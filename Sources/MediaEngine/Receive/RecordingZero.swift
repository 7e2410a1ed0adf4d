internal import Synchronization

/// The moment at which the recordings of a call begin, so that those of both directions can be played in step.
final class RecordingZero: Sendable {
    private let begun = Mutex<UInt64?>(nil)

    /// In ns of the clock that all pipelines share; nil before anything is recorded.
    var time: UInt64? { begun.withLock { $0 } }

    /// It is now, unless it was before.
    func begin() { begun.withLock { $0 = $0 ?? Pipeline.now } }
}
