import Testing

/// Waits until a condition holds that nobody reports; records an issue when it does not within the deadline.
func eventually(
    _ what: Comment, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async -> Bool
) async {
    let deadline = ContinuousClock.now + limit
    while await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
