import Foundation
import Testing

/// A real coturn on 127.0.0.1, for one test.
final class TurnServer: Sendable {
    let port: Int
    static let username = "ann@example.org"
    static let credential = "p%ss/w?rd#&=ü"

    private let process = Process()
    private let log = Shared("")
    private let folder: PipelineFolder

    /// Starts it and waits until it can be asked.
    ///
    /// `arguments` are further ones, such as `--no-udp`.
    init(_ arguments: [String] = []) async throws {
        let path = "/usr/bin/turnserver"
        try #require(
            FileManager.default.isExecutableFile(atPath: path), "scripts/install-packages test installs coturn")
        folder = try PipelineFolder([:])
        port = try Self.freePort()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments =
            [
                "-n", "-m", "1", "--listening-ip", "127.0.0.1", "--listening-port", String(port), "--relay-ip",
                "127.0.0.1",
                "--allow-loopback-peers", "--lt-cred-mech", "--user", "\(Self.username):\(Self.credential)", "--realm",
                "test", "--no-cli", "--no-tls", "--no-dtls", "--no-multicast-peers", "--log-file", "stdout",
                "--db", folder.file("db"), "--pidfile", folder.file("pid"),
            ] + arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        output.fileHandleForReading.readabilityHandler = { [log] in
            let text = String(decoding: $0.availableData, as: UTF8.self)
            log.update { $0 += text }
        }
        try process.run()
        try await eventually("turnserver listens") { Self.accepts(port: port) || !process.isRunning }
        try #require(process.isRunning, "turnserver ended: \(log.value)")
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// How many allocations it made, over UDP and TCP alike.
    var allocations: Int { log.value.components(of: "ALLOCATE processed, success").count - 1 }

    func url(_ transport: String) -> String { "turn:127.0.0.1:\(port)?transport=\(transport)" }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        try #require(result == 0)
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func accepts(port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: UInt16(port))
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
