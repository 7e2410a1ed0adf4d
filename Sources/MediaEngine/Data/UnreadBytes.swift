internal import Synchronization

/// How many bytes wait for a reader, up to a limit.
final class UnreadBytes: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// False, without any effect, when it would be more than may wait.
    func deposit(_ size: Int) -> Bool {
        count.withLock { count in
            guard count + size <= limit else { return false }
            count += size
            return true
        }
    }

    func withdraw(_ size: Int) { count.withLock { $0 -= size } }
}
