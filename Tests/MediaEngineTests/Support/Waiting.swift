import Synchronization

/// Something did not happen in time.
struct Overdue: Error, CustomStringConvertible {
    let description: String
}

/// The limit for everything that should take milliseconds; it is long enough for the busiest machine.
let deadline = Duration.seconds(10)

/// Returns when `condition` holds; throws ``Overdue`` when it still does not after `limit`.
nonisolated(nonsending) func eventually(
    _ what: @autoclosure () -> String, within limit: Duration = deadline, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw Overdue(description: "not within \(limit): \(what())") }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Runs `operation` and waits for it until `limit`; an operation that hangs is abandoned and reported.
func inTime<T: Sendable>(
    _ what: String, within limit: Duration = deadline, _ operation: @escaping @Sendable () async throws -> T
) async throws -> T {
    let result = Shared<Result<T, any Error>?>(nil)
    Task {
        do {
            let value = try await operation()
            result.set(.success(value))
        } catch {
            result.set(.failure(error))
        }
    }
    try await eventually(what, within: limit) { result.value != nil }
    guard let outcome = result.value else { throw Overdue(description: what) }
    return try outcome.get()
}

/// A value that several threads can read and write.
final class Shared<T: Sendable>: Sendable {
    private let storage: Mutex<T>

    init(_ value: T) { storage = Mutex(value) }

    var value: T { storage.withLock { $0 } }

    func set(_ value: T) { storage.withLock { $0 = value } }

    @discardableResult
    func update<R: Sendable>(_ body: (inout T) -> R) -> R { storage.withLock { body(&$0) } }
}
