internal import Synchronization

/// A change of a source while it is in use.
enum CaptureChange: Sendable, Equatable {
    /// The source failed; a test pattern or silence replaces it until it is back.
    case lost(MediaError)
    /// The source is back.
    case restored
}

/// Passes on each loss of a source and each return once, although several users of it report them.
final class CaptureChanges: Sendable {
    private let isLost = Mutex(false)
    private let report: @Sendable (CaptureChange) -> Void

    init(_ report: @escaping @Sendable (CaptureChange) -> Void) { self.report = report }

    /// Forgets a loss, because the source is another one.
    func reset() { isLost.withLock { $0 = false } }

    func note(_ change: CaptureChange) {
        let isNews = isLost.withLock { isLost in
            let wasLost = isLost
            isLost = if case .lost = change { true } else { false }
            return isLost != wasLost
        }
        if isNews { report(change) }
    }
}
