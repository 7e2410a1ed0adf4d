/// Limits the wait for work that cannot be cancelled, such as a C call that hangs.
enum Deadline {
    /// Whether `work` ended within `limit`; otherwise it continues on its own.
    ///
    /// When it returns true, everything that `work` held is released.
    static func isMet(_ limit: Duration, by work: sending @escaping @Sendable () async -> Void) async -> Bool {
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        let task = Task(operation: work)
        Task {
            // A task releases its captures before its value is available.
            await task.value
            continuation.yield(true)
        }
        let alarm = Task {
            try? await Task.sleep(for: limit)
            continuation.yield(false)
        }
        defer { alarm.cancel() }
        // A separate task: the caller's task may be cancelled, and would then get neither result.
        return await Task { await results.first { _ in true } ?? false }.value
    }
}
