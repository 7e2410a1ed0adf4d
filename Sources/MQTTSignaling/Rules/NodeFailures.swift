/// Which nodes of a broker could not be reached lately: where a sign-in begins.
struct NodeFailures: Sendable {
    /// How long a node is the last choice after a failure; then one sign-in tries it again.
    static let memoryMs = 60_000

    /// Until when each node is the last choice, in ms of this end's own clock.
    private var ends: [Int: Int] = [:]

    /// These nodes in the order in which a sign-in tries them: first those without a failure, then the one that failed longest ago.
    mutating func order(_ nodes: [Int], at now: Int) -> [Int] {
        let suspects = nodes.filter { ends[$0, default: now] > now }.sorted {
            ends[$0, default: 0] < ends[$1, default: 0]
        }
        let others = nodes.filter { !suspects.contains($0) }
        // A node that failed is tried by one sign-in, not by all that come until its answer is overdue.
        if let first = others.first, ends[first] != nil { failed(first, at: now) }
        return others + suspects
    }

    mutating func failed(_ node: Int, at now: Int) { ends[node] = now + Self.memoryMs }

    mutating func worked(_ node: Int) { ends[node] = nil }
}
