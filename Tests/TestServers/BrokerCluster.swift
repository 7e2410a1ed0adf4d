/// Real servers on 127.0.0.1 that are the nodes of one MQTT broker.
package protocol BrokerCluster: Sendable {
    /// The port of each node.
    var ports: [Int] { get }

    /// Starts a node next to those that run; returns when it accepts connections.
    func start(_ node: Int) async throws

    /// Kills a node; the system closes its connections, and it publishes no last wills.
    func kill(_ node: Int)
}

extension BrokerCluster {
    /// All nodes, `first` before the others.
    package func url(first: Int) -> String {
        let order = ports.indices.map { ports[(first + $0) % ports.count] }
        return "mqtt://" + order.map { "127.0.0.1:\($0)" }.joined(separator: ",")
    }

    /// One node and no other.
    package func url(only node: Int) -> String { "mqtt://127.0.0.1:\(ports[node])" }
}
