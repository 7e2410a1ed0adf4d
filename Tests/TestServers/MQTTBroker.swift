internal import Foundation
internal import Synchronization

/// A real mosquitto on 127.0.0.1, for one test; it keeps nothing when it ends.
package final class MQTTBroker: Sendable {
    package let port: Int
    private let options: Mutex<String>
    private let certificate: TestCertificate?
    private let folder = NSTemporaryDirectory() + "broker-test-\(UUID().uuidString)"
    private let running = Mutex<Run?>(nil)

    private struct Run: Sendable {
        let process: Process
        let output: ProcessOutput
    }

    /// Why it did not start.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// Starts a broker that lets everybody do everything.
    ///
    /// `options` are lines of its configuration. With a certificate it speaks only TLS.
    package init(_ options: String = "allow_anonymous true", certificate: TestCertificate? = nil) async throws {
        self.options = Mutex(options)
        self.certificate = certificate
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = try await FreePort.find()
        try await start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    package var url: String { "\(certificate == nil ? "mqtt" : "mqtts")://127.0.0.1:\(port)" }

    /// Starts it at the same port, with other options if there are any; returns when it accepts connections.
    package func start(_ options: String? = nil) async throws {
        let options = self.options.withLock { present in
            present = options ?? present
            return present
        }
        let path = "/usr/sbin/mosquitto"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(description: "scripts/install-packages test installs mosquitto")
        }
        let tls = certificate.map { "certfile \($0.certificate.path)\nkeyfile \($0.key.path)\n" } ?? ""
        let configuration = "user root\nlistener \(port) 127.0.0.1\nlog_type all\n\(tls)\(options)\n"
        let file = folder + "/mosquitto.conf"
        try Data(configuration.utf8).write(to: URL(filePath: file))
        let log = Log()
        let output = try ProcessOutput { data in log.text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-c", file]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.writingEnd
        process.standardError = output.writingEnd
        try process.run()
        output.began()
        running.withLock { $0 = Run(process: process, output: output) }
        let limit = ContinuousClock.now + .seconds(20)
        while await !FreePort.accepts(port) {
            guard process.isRunning, ContinuousClock.now < limit else {
                throw Failure(description: "mosquitto does not listen: \(log.text.withLock { $0 })")
            }
            // The polling interval.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Kills it; the system closes its connections, and it publishes no last wills.
    package func stop() {
        guard let run = running.withLock({ $0.take() }), run.process.isRunning else { return }
        kill(run.process.processIdentifier, SIGKILL)
        run.process.waitUntilExit()
    }

    /// From now on it receives, and answers nothing.
    package func stopAnswering() { signal(SIGSTOP) }

    /// Undoes ``stopAnswering()``.
    package func answerAgain() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        running.withLock { run in
            if let run { _ = kill(run.process.processIdentifier, number) }
        }
    }
}

private final class Log: Sendable {
    let text = Mutex("")
}
