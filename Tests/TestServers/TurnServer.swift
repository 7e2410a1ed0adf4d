internal import Foundation
internal import Synchronization

/// A real coturn on 127.0.0.1, for one test.
package final class TurnServer: Sendable {
    package let port: Int
    package static let username = "ann@example.org"
    package static let credential = "p%ss/w?rd#&=ü"

    private let process = Process()
    private let log = Log()
    private let folder = NSTemporaryDirectory() + "turn-test-\(UUID().uuidString)"

    /// Why it did not start.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// Starts it and waits until it can be asked.
    ///
    /// `arguments` are further ones, such as `--no-udp`. With a certificate it speaks TLS and nothing else.
    package init(_ arguments: [String] = [], certificate: TestCertificate? = nil) async throws {
        let path = "/usr/bin/turnserver"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(description: "scripts/install-packages test installs coturn")
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = try Self.freePort()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments =
            [
                "-n", "-m", "1", "--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1", "--allow-loopback-peers",
                "--lt-cred-mech", "--user", "\(Self.username):\(Self.credential)", "--realm",
                "test", "--no-cli", "--no-dtls", "--no-multicast-peers", "--log-file", "stdout",
                "--db", folder + "/db", "--pidfile", folder + "/pid",
            ]
            + (certificate.map {
                [
                    "--tls-listening-port", String(port), "--no-udp", "--no-tcp", "--cert", $0.certificate.path,
                    "--pkey", $0.key.path,
                ]
            } ?? ["--listening-port", String(port), "--no-tls"]) + arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        output.fileHandleForReading.readabilityHandler = { [log] in
            let text = String(decoding: $0.availableData, as: UTF8.self)
            log.text.withLock { $0 += text }
        }
        try process.run()
        let limit = ContinuousClock.now + .seconds(20)
        while !Self.accepts(port: port) {
            guard process.isRunning, ContinuousClock.now < limit else {
                throw Failure(description: "turnserver does not listen: \(log.text.withLock { $0 })")
            }
            // The pace of looking.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    package func url(_ transport: String) -> String { "turn:127.0.0.1:\(port)?transport=\(transport)" }

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
        guard result == 0 else { throw Failure(description: "no free port") }
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

private final class Log: Sendable {
    let text = Mutex("")
}
