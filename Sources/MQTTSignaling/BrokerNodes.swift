internal import Synchronization

/// What the sign-ins of one process know of the nodes of a broker, so that not each of them waits for a node that does not answer.
///
/// For transports with the same URL.
package final class BrokerNodes: Sendable, Equatable {
    private let failures = Mutex(NodeFailures())
    private let epoch = ContinuousClock.now

    /// Knows of no failures.
    package init() {}

    package static func == (one: BrokerNodes, other: BrokerNodes) -> Bool { one === other }

    /// The numbers of these nodes, in the order in which to try them.
    func order(_ nodes: [Int]) -> [Int] { failures.withLock { $0.order(nodes, at: now) } }

    func failed(_ node: Int) { failures.withLock { $0.failed(node, at: now) } }

    func worked(_ node: Int) { failures.withLock { $0.worked(node) } }

    private var now: Int { Int((ContinuousClock.now - epoch) / .milliseconds(1)) }
}
