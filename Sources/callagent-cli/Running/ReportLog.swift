internal import CallAgent
internal import Synchronization

/// The reports of the calls that ended, for the document at the end.
final class ReportLog: Sendable {
    private let storage = Mutex<[CallReport]>([])

    var reports: [CallReport] { storage.withLock { $0 } }

    func append(_ report: CallReport) { storage.withLock { $0.append(report) } }
}
