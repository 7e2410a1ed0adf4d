internal import Foundation

/// A real coturn on 127.0.0.1, for one test.
package final class TurnServer: Sendable {
    package let port: Int
    package static let username = "ann@example.org"
    package static let credential = "p%ss/w?rd#&=ü"

    private let process: ServerProcess
    private let folder: TemporaryFolder

    /// Starts the server and waits until it accepts connections.
    ///
    /// `arguments` are additional ones, such as `--no-udp`. With a certificate it speaks only TLS. With a `secret` it takes temporary credentials that
    /// are made of it, instead of ``username`` and ``credential``.
    package init(
        _ arguments: [String] = [], certificate: TestCertificate? = nil, secret: String? = nil
    ) async throws {
        folder = try TemporaryFolder("turn")
        let port = try await FreePort.find()
        self.port = port
        let all =
            [
                "-n", "-m", "1", "--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1", "--allow-loopback-peers",
                "--realm", "test", "--no-cli", "--no-dtls", "--no-multicast-peers", "--log-file", "stdout",
                "--db", folder.path + "/db", "--pidfile", folder.path + "/pid",
            ]
            + (secret.map { ["--use-auth-secret", "--static-auth-secret", $0] }
                ?? ["--lt-cred-mech", "--user", "\(Self.username):\(Self.credential)"])
            + (certificate.map {
                [
                    "--tls-listening-port", String(port), "--no-udp", "--no-tcp", "--cert", $0.certificate.path,
                    "--pkey", $0.key.path,
                ]
            } ?? ["--listening-port", String(port), "--no-tls"]) + arguments
        process = try await ServerProcess("/usr/bin/turnserver", all, port: port)
    }

    deinit { process.stop() }

    /// From now on it receives, and answers nothing.
    package func stopAnswering() { process.signal(SIGSTOP) }

    /// Undoes ``stopAnswering()``.
    package func answerAgain() { process.signal(SIGCONT) }

    /// Ends it; the system closes its connections.
    package func stop() { process.stop() }

    package func url(_ transport: String) -> String { "turn:127.0.0.1:\(port)?transport=\(transport)" }
}
