import Testing

/// Runs the cases of a test beside each other, `most` of them at a time; each failure names its case.
///
/// For cases that mostly wait: what measures media has the processor to itself.
func together<Case: Sendable>(
    _ cases: some Sequence<Case>, most: Int = .max, sourceLocation: SourceLocation = #_sourceLocation,
    _ run: @escaping @Sendable (Case) async throws -> Void
) async {
    await withTaskGroup(of: Void.self) { group in
        for (number, one) in cases.enumerated() {
            if number >= most { await group.next() }
            group.addTask {
                await NamedCase.$name.withValue("\(one)") {
                    do {
                        try await run(one)
                    } catch {
                        Issue.record(error, sourceLocation: sourceLocation)
                    }
                }
            }
        }
    }
}

/// The case of ``together(_:most:sourceLocation:_:)`` that is running.
private enum NamedCase { @TaskLocal static var name: String? }

extension Trait where Self == IssueHandlingTrait {
    /// Adds the case to the failures of ``together(_:most:sourceLocation:_:)``.
    static var namesCases: Self {
        .compactMapIssues { issue in
            var issue = issue
            if let name = NamedCase.name { issue.comments.append("in the case \(name)") }
            return issue
        }
    }
}
