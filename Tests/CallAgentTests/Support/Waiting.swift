import Testing

/// Nothing met the condition within the deadline.
struct NeverHappened: Error, CustomStringConvertible {
    var description: String
}

/// Waits until `condition` holds, at most 20 s.
///
/// It asks again whenever other tasks had their turn.
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
