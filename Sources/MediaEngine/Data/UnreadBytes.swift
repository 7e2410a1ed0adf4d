internal import Synchronization

/// Counts the bytes that wait for a reader, up to a limit.
final class UnreadBytes: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Adds to the count; false, without any effect, beyond the limit.
    func deposit(_ size: Int) -> Bool {
        count.withLock { count in
            guard count + size <= limit else { return false }
            count += size
            return true
        }
    }

    func withdraw(_ size: Int) { count.withLock { $0 -= size } }
}
