internal import Synchronization

/// A change of a source while it is in use.
enum CaptureChange: Sendable, Equatable {
    /// The source failed; a test pattern or silence replaces it until it is back.
    case lost(MediaError)
    /// The source is back.
    case restored
}

/// Passes on each loss of a track's source and each return once, although several users of the source report them.
final class CaptureChanges: Sendable {
    /// The source that is lost.
    private let lost = Mutex<ObjectIdentifier?>(nil)
    private let report: @Sendable (CaptureChange) -> Void

    init(_ report: @escaping @Sendable (CaptureChange) -> Void) { self.report = report }

    /// Takes what happened to a source, or what its state is when a user joins it.
    func note(_ change: CaptureChange, of source: CaptureSource) {
        let source = ObjectIdentifier(source)
        let isNews = lost.withLock { lost in
            let wasLost = lost == source
            if case .lost = change {
                lost = source
                return !wasLost
            }
            lost = nil
            return wasLost
        }
        if isNews { report(change) }
    }
}
