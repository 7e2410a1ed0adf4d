internal import Synchronization

/// The moment at which the recordings of a call start, so that both directions can be played in sync.
final class RecordingZero: Sendable {
    private let begun = Mutex<UInt64?>(nil)

    /// In ns of the clock that all pipelines share; nil before anything is recorded.
    var time: UInt64? { begun.withLock { $0 } }

    /// Sets it to now, unless it was set before.
    func begin() { begun.withLock { $0 = $0 ?? Pipeline.now } }
}
