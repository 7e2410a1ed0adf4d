internal import Foundation
internal import Synchronization

/// A real mosquitto on 127.0.0.1, for one test; it keeps nothing when it ends.
package final class MQTTBroker: Sendable {
    package let port: Int
    private let options: Mutex<String>
    private let certificate: TestCertificate?
    private let folder: TemporaryFolder
    private let running = Mutex<ServerProcess?>(nil)

    /// Starts a broker that lets everybody do everything.
    ///
    /// `options` are lines of its configuration. With a certificate it speaks only TLS.
    package init(_ options: String = "allow_anonymous true", certificate: TestCertificate? = nil) async throws {
        self.options = Mutex(options)
        self.certificate = certificate
        folder = try TemporaryFolder("broker")
        port = try await FreePort.find()
        try await start()
    }

    package var url: String { "\(certificate == nil ? "mqtt" : "mqtts")://127.0.0.1:\(port)" }

    /// Starts it at the same port, with other options if there are any; returns when it accepts connections.
    package func start(_ options: String? = nil) async throws {
        let options = self.options.withLock { present in
            present = options ?? present
            return present
        }
        let tls = certificate.map { "certfile \($0.certificate.path)\nkeyfile \($0.key.path)\n" } ?? ""
        let file = try folder.write(
            "user root\nlistener \(port) 127.0.0.1\nlog_type all\n\(tls)\(options)\n", to: "mosquitto.conf")
        let process = try await ServerProcess("/usr/sbin/mosquitto", ["-c", file], port: port)
        running.withLock { $0 = process }
    }

    /// Kills it; the system closes its connections, and it publishes no last wills.
    package func stop() { running.withLock { $0.take() }?.stop() }

    /// From now on it receives, and answers nothing.
    package func stopAnswering() { running.withLock { $0 }?.signal(SIGSTOP) }

    /// Undoes ``stopAnswering()``.
    package func answerAgain() { running.withLock { $0 }?.signal(SIGCONT) }
}

/// A real nats-server on 127.0.0.1 that speaks MQTT 3.1.1 only: no reason codes, no shared subscriptions.
package final class OldMQTTBroker: Sendable {
    package let port: Int
    private let folder: TemporaryFolder
    private let process: ServerProcess

    package init() async throws {
        folder = try TemporaryFolder("broker")
        port = try await FreePort.find()
        let file = try folder.write(
            """
            server_name: test
            listen: "127.0.0.1:-1"
            jetstream { store_dir: "\(folder.path)" }
            mqtt { listen: "127.0.0.1:\(port)" }
            """, to: "nats.conf")
        process = try await ServerProcess("/usr/sbin/nats-server", ["-c", file], port: port)
    }

    deinit { process.stop() }

    package var url: String { "mqtt://127.0.0.1:\(port)" }
}
