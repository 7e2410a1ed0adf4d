internal import Synchronization

/// Keeps the first of several errors: the others follow from it.
final class FirstReason: Sendable {
    private let first = Mutex<MediaError?>(nil)

    var value: MediaError? { first.withLock { $0 } }

    func note(_ error: MediaError) { first.withLock { $0 = $0 ?? error } }
}
