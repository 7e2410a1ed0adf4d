internal import Foundation
internal import Synchronization

/// A cluster of real nats-server nodes on 127.0.0.1 that is one MQTT broker, of MQTT 3.1.1 only, for everybody.
package final class NATSCluster: BrokerCluster {
    package let ports: [Int]
    /// Where the nodes meet each other.
    private let routes: [Int]
    private let folder: TemporaryFolder
    private let nodes = Mutex<[Int: ServerProcess]>([:])

    /// Starts the nodes; all accept connections when this returns.
    package init(_ count: Int) async throws {
        folder = try TemporaryFolder("cluster")
        let free = try await FreePort.find(2 * count)
        (ports, routes) = (Array(free.prefix(count)), Array(free.suffix(count)))
        for node in ports.indices { try await start(node) }
    }

    deinit { for node in nodes.withLock({ $0.values }) { node.stop() } }

    /// A node that was killed keeps what it has stored.
    package func start(_ node: Int) async throws {
        let file = try folder.write(
            """
            server_name: n\(node)
            listen: "127.0.0.1:-1"
            cluster {
              name: test
              listen: "127.0.0.1:\(routes[node])"
              routes: [\(routes.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", "))]
            }
            jetstream { store_dir: "\(folder.path)/node\(node)" }
            mqtt { listen: "127.0.0.1:\(ports[node])", stream_replicas: \(ports.count) }
            """, to: "node\(node).conf")
        let process = try await ServerProcess("/usr/sbin/nats-server", ["-c", file], port: ports[node])
        nodes.withLock { $0[node] = process }
    }

    package func kill(_ node: Int) { nodes.withLock { $0.removeValue(forKey: node) }?.stop() }
}
