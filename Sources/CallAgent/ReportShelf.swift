internal import Synchronization

/// The reports of the calls that ended last.
final class ReportShelf: Sendable {
    private let reports = Mutex<[CallReport]>([])
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// The oldest first.
    var all: [CallReport] { reports.withLock { $0 } }

    /// When a peer has used the id of one of this end's own calls, the own call is returned.
    func report(_ callId: String) -> CallReport? {
        reports.withLock { reports in
            let found = reports.filter { $0.callId == callId }
            return found.last { $0.role == .caller } ?? found.last
        }
    }

    func keep(_ report: CallReport) {
        reports.withLock { reports in
            reports.append(report)
            if reports.count > capacity { reports.removeFirst() }
        }
    }
}
