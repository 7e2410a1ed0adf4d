internal import Foundation
internal import Synchronization

/// Three real NATS servers on 127.0.0.1 that are one MQTT 3.1.1 broker, for one test.
package final class NATSCluster: Sendable {
    /// A node.
    private struct Node: Sendable {
        let file: String
        let port: Int
    }

    private struct Run: Sendable {
        let process: Process
        let output: ProcessOutput
    }

    private let nodes: [Node]
    private let folder = NSTemporaryDirectory() + "cluster-test-\(UUID().uuidString)"
    private let runs: Mutex<[Run?]>

    /// Why it did not start.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// Whether this machine has the program.
    package static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
    private static let path = "/usr/sbin/nats-server"

    /// Starts all nodes; they are one broker a few seconds later, and refuse clients before.
    package init() async throws {
        let ports = try await FreePort.find(9)
        let routes = ports[0..<3].map { "nats://127.0.0.1:\($0)" }
        var nodes: [Node] = []
        for number in 0..<3 {
            let home = folder + "/\(number)"
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
            let file = home + "/nats.conf"
            let text = """
                server_name: n\(number)
                listen: 127.0.0.1:\(ports[3 + number])
                jetstream { store_dir: "\(home)" }
                cluster { name: test, listen: 127.0.0.1:\(ports[number]), routes: \(routes) }
                mqtt { listen: 127.0.0.1:\(ports[6 + number]) }
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            nodes.append(Node(file: file, port: ports[6 + number]))
        }
        self.nodes = nodes
        runs = Mutex(Array(repeating: nil, count: 3))
        for number in 0..<3 { try start(number) }
    }

    deinit {
        for number in 0..<3 { kill(number) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The URL with this node first, and the others after it.
    package func url(first number: Int) -> String {
        let ports = (0..<3).map { nodes[(number + $0) % 3].port }
        return "mqtt://" + ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
    }

    /// Starts a node, again with what it has stored.
    package func start(_ number: Int) throws {
        guard Self.isInstalled else { throw Failure(description: "scripts/install-packages test installs nats-server") }
        let process = Process()
        process.executableURL = URL(filePath: Self.path)
        process.arguments = ["-c", nodes[number].file]
        process.standardInput = FileHandle.nullDevice
        let output = try ProcessOutput { _ in }
        process.standardOutput = output.writingEnd
        process.standardError = output.writingEnd
        try process.run()
        output.began()
        runs.withLock { $0[number] = Run(process: process, output: output) }
    }

    /// Kills a node with SIGKILL.
    package func kill(_ number: Int) {
        guard let run = runs.withLock({ $0[number].take() }), run.process.isRunning else { return }
        Foundation.kill(run.process.processIdentifier, SIGKILL)
        run.process.waitUntilExit()
    }
}
