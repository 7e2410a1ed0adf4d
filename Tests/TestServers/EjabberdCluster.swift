internal import Foundation
internal import Synchronization

/// A cluster of real ejabberd nodes on 127.0.0.1 that is one MQTT broker, with the access rules that the documents ship.
///
/// It checks tokens of ``key``: the password of `alice` is a token of `alice@localhost`.
package final class EjabberdCluster: Sendable {
    /// A key file as `callagent serve --token-key-file` takes it.
    package let key: TemporaryFile
    package let ports: [Int]
    private let epmdPort: Int
    private let epmd: ServerProcess
    private let folder: TemporaryFolder
    private let nodes = Mutex<[Int: ServerProcess]>([:])

    private static let secret = "a secret of more than thirty-two bytes, for tests"

    /// Starts the nodes; all are there when this returns.
    package init(_ count: Int) async throws {
        key = try TemporaryFile(Self.secret + "\n")
        folder = try TemporaryFolder("cluster")
        let free = try await FreePort.find(count + 1)
        (ports, epmdPort) = (Array(free.dropLast()), free[count])
        // It tells the nodes each other's ports.
        epmd = try await ServerProcess(
            "/usr/bin/epmd", ["-port", "\(epmdPort)", "-address", "127.0.0.1"], port: epmdPort)
        let rules = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/ejabberd/callagent.yml").standardized
        let web = Data(Self.secret.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        let webKey = try folder.write(#"{"kty":"oct","k":"\#(web)"}"#, to: "callagent.jwk")
        let shipped = try String(contentsOf: rules, encoding: .utf8)
        _ = try folder.write(shipped.replacing("/etc/ejabberd/callagent.jwk", with: webKey), to: "callagent.yml")
        for node in ports.indices { try await start(node) }
    }

    deinit {
        for node in nodes.withLock({ $0.values }) { node.stop() }
        epmd.stop()
    }

    /// Starts a node without any memory, next to those that run; returns when it is one of them.
    package func start(_ node: Int) async throws {
        let place = folder.path + "/node\(node)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place + "/db", withIntermediateDirectories: true)
        let configuration = """
            hosts: [localhost]
            certfiles: []
            ca_file: /etc/ssl/certs/ca-certificates.crt
            include_config_file: ["\(folder.path)/callagent.yml"]
            listen: [{port: \(ports[node]), ip: 127.0.0.1, module: mod_mqtt}]
            """
        for (text, name) in [
            (configuration, "ejabberd.yml"), ("mqtt_pub:\n  storage_type: ram_copies\n", "db/ejabberd.schema"),
        ] { try Data(text.utf8).write(to: URL(filePath: place + "/" + name)) }
        let others = nodes.withLock { $0.keys.sorted().map { "'\(Self.name($0))'" } }
        var arguments = [
            "-noinput", "+S", "1:1", "+sbwt", "none", "-name", Self.name(node), "-setcookie", "test",
            "-start_epmd", "false", "-kernel", "inet_dist_use_interface", "{127,0,0,1}", "-mnesia", "dir",
            "\"\(place)/db\"",
        ]
        if !others.isEmpty { arguments += ["-mnesia", "extra_db_nodes", "[\(others.joined(separator: ","))]"] }
        let process = try await ServerProcess(
            "/usr/bin/erl", arguments + ["-s", "ejabberd"], port: ports[node],
            environment: [
                "HOME": place, "ERL_LIBS": Self.libraries, "ERL_EPMD_PORT": "\(epmdPort)",
                "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_CRASH_DUMP_SECONDS": "0",
                "EJABBERD_CONFIG_PATH": place + "/ejabberd.yml", "EJABBERD_LOG_PATH": place + "/ejabberd.log",
            ])
        nodes.withLock { $0[node] = process }
    }

    /// All nodes, `first` before the others.
    package func url(first: Int) -> String {
        let order = ports.indices.map { ports[(first + $0) % ports.count] }
        return "mqtt://" + order.map { "127.0.0.1:\($0)" }.joined(separator: ",")
    }

    /// Kills a node; the system closes its connections, and it publishes no last wills.
    package func kill(_ node: Int) { nodes.withLock { $0.removeValue(forKey: node) }?.stop() }

    private static func name(_ node: Int) -> String { "n\(node)@127.0.0.1" }

    /// Where Debian has the Erlang libraries of its packages.
    private static var libraries: String {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        let places = folders.filter { $0.hasSuffix("-linux-gnu") }.map { "/usr/lib/\($0)" }
        return places.first { place in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            return names.contains { $0.hasPrefix("ejabberd-") }
        } ?? ""
    }
}
