internal import Synchronization

/// The calls that ended, for what is told at the end.
final class OutcomeLog: Sendable {
    private let storage = Mutex<[CallOutcome]>([])

    var outcomes: [CallOutcome] { storage.withLock { $0 } }

    func append(_ outcome: CallOutcome) { storage.withLock { $0.append(outcome) } }
}
