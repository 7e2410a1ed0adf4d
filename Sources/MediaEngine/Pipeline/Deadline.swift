/// Bounds what cannot be cancelled, such as a call into C that hangs.
enum Deadline {
    /// Whether `work` ended within `limit`; what did not goes on alone.
    ///
    /// When it ended, everything that it held is released.
    static func isMet(_ limit: Duration, by work: sending @escaping @Sendable () async -> Void) async -> Bool {
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        let task = Task(operation: work)
        Task {
            // A task lets go of what it holds before its value is there.
            await task.value
            continuation.yield(true)
        }
        let alarm = Task {
            try? await Task.sleep(for: limit)
            continuation.yield(false)
        }
        defer { alarm.cancel() }
        // Not the caller's own task: that may be cancelled, and would hear of neither.
        return await Task { await results.first { _ in true } ?? false }.value
    }
}
