import Synchronization
import Testing

/// Time that passes only when a test says so.
final class ManualClock: Sendable {
    private struct State {
        var sleepers: [Int: (duration: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// The duration of each sleeper, the shortest first.
    var sleeping: [Duration] { state.withLock { $0.sleepers.values.map(\.duration).sorted() } }

    /// Replaces `Task.sleep(for:)` in an agent.
    func sleep(_ duration: Duration) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A later cancel takes the lock after this check and finds the sleeper.
                let isCancelled = state.withLock { state in
                    if !Task.isCancelled { state.sleepers[number] = (duration, continuation) }
                    return Task.isCancelled && state.sleepers[number] == nil
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
    }

    /// Waits until a task sleeps for `duration`, then wakes all that do.
    func elapse(_ duration: Duration) async throws {
        try await eventually("a timer of \(duration)") { sleeping.contains(duration) }
        wake(duration)
    }

    /// Wakes all tasks that sleep for `duration`.
    func wake(_ duration: Duration) {
        let due = state.withLock { state in
            let due = state.sleepers.filter { $0.value.duration == duration }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }
}
