internal import Foundation
internal import Synchronization

/// A real server that a test starts as a process.
final class ServerProcess: Sendable {
    private let process = Process()
    private let output: ProcessOutput
    private let log = Log()

    private final class Log: Sendable {
        let text = Mutex("")
    }

    /// Why it did not start.
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Starts it; returns when it accepts connections at a TCP port of 127.0.0.1.
    convenience init(
        _ path: String, _ arguments: [String], port: Int, environment: [String: String] = [:]
    ) async throws {
        try await self.init(path, arguments, environment: environment) { await FreePort.accepts(port) }
    }

    /// Starts it; returns when it is ready.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        isReady: () async throws -> Bool
    ) async throws {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(description: "\(path) is missing: scripts/install-packages test installs it")
        }
        let log = log
        output = try ProcessOutput { data in log.text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.writingEnd
        process.standardError = output.writingEnd
        try process.run()
        output.began()
        // A node of a cluster starts for 20 s on a busy machine.
        let limit = ContinuousClock.now + .seconds(60)
        while try await !isReady() {
            guard process.isRunning, ContinuousClock.now < limit else {
                stop()
                throw Failure(description: "\(path) does not listen: \(log.text.withLock { $0 })")
            }
            // The polling interval.
            try await Task.sleep(for: .milliseconds(20))
        }
        // Otherwise somebody else listens there.
        guard process.isRunning else { throw Failure(description: "\(path) ended: \(log.text.withLock { $0 })") }
    }

    deinit { stop() }

    /// Kills it; the system closes its connections.
    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func signal(_ number: Int32) { _ = kill(process.processIdentifier, number) }
}
