internal import Synchronization

/// The reports of the calls that ended last.
final class ReportShelf: Sendable {
    private let reports = Mutex<[CallReport]>([])
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// The oldest first.
    var all: [CallReport] { reports.withLock { $0 } }

    func report(_ callId: String) -> CallReport? { reports.withLock { $0.last { $0.callId == callId } } }

    func keep(_ report: CallReport) {
        reports.withLock { reports in
            reports.append(report)
            if reports.count > capacity { reports.removeFirst() }
        }
    }
}
