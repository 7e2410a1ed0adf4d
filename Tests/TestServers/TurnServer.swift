internal import Foundation
internal import Synchronization

/// A real coturn on 127.0.0.1, for one test.
package final class TurnServer: Sendable {
    package let port: Int
    package static let username = "ann@example.org"
    package static let credential = "p%ss/w?rd#&=ü"

    private let output: ProcessOutput
    private let process = Process()
    private let log: Log
    private let folder = NSTemporaryDirectory() + "turn-test-\(UUID().uuidString)"

    /// Why it did not start.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// Starts the server and waits until it accepts connections.
    ///
    /// `arguments` are additional ones, such as `--no-udp`. With a certificate it speaks only TLS.
    package init(_ arguments: [String] = [], certificate: TestCertificate? = nil) async throws {
        let path = "/usr/bin/turnserver"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(description: "scripts/install-packages test installs coturn")
        }
        let log = Log()
        self.log = log
        output = try ProcessOutput { data in log.text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = try await FreePort.find()
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
        process.standardOutput = output.writingEnd
        process.standardError = output.writingEnd
        try process.run()
        output.began()
        let limit = ContinuousClock.now + .seconds(20)
        while await !FreePort.accepts(port) {
            guard process.isRunning, ContinuousClock.now < limit else {
                throw Failure(description: "turnserver does not listen: \(log.text.withLock { $0 })")
            }
            // The polling interval.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// From now on it receives, and answers nothing.
    package func stopAnswering() { kill(process.processIdentifier, SIGSTOP) }

    /// Undoes ``stopAnswering()``.
    package func answerAgain() { kill(process.processIdentifier, SIGCONT) }

    /// Ends it; the system closes its connections.
    package func stop() { kill(process.processIdentifier, SIGKILL) }

    package func url(_ transport: String) -> String { "turn:127.0.0.1:\(port)?transport=\(transport)" }
}

private final class Log: Sendable {
    let text = Mutex("")
}
