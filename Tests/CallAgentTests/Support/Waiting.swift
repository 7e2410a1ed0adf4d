import Dispatch
import Testing

/// Nothing met the condition within the deadline.
struct NeverHappened: Error, CustomStringConvertible {
    var description: String
}

/// Waits until `condition` holds, at most 20 s.
///
/// It checks the condition again each time after other tasks have run.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            let failure = NeverHappened(description: "never happened: \(what)")
            Issue.record(failure, sourceLocation: sourceLocation)
            throw failure
        }
        await Task.yield()
    }
}

/// Runs `body` on its own thread.
///
/// On the pool, work of seconds would delay other tests beyond the limit of ``eventually(_:sourceLocation:_:)``.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "a long test").async { continuation.resume(returning: body()) }
    }
}
