import Foundation
import Synchronization
import Testing

/// The built `callagent`, running as a process of its own.
final class Program: Sendable {
    /// Where the build put it: beside the test runner.
    static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("callagent").path

    private struct State {
        var output = Data()
        var errors = Data()
        var exit: (status: Int32, at: ContinuousClock.Instant)?
    }

    private let process = Process()
    private let state = Mutex(State())
    private let input: Pipe?

    /// Starts the program, or another one at `path`.
    init(
        _ arguments: [String], path: String = Program.path, environment: [String: String] = [:], hasInput: Bool = false
    ) throws {
        input = hasInput ? Pipe() : nil
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = input ?? FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        for pipe in [output, errors] {
            // A child of the program may hold the pipe open: nobody waits for its end.
            _ = fcntl(pipe.fileHandleForReading.fileDescriptor, F_SETFL, O_NONBLOCK)
        }
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let more = self?.state.withLock { $0.output.appendAll(from: handle) }
            if more != true { handle.readabilityHandler = nil }
        }
        errors.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let more = self?.state.withLock { $0.errors.appendAll(from: handle) }
            if more != true { handle.readabilityHandler = nil }
        }
        process.terminationHandler = { [weak self] process in
            // Under the lock under which the handlers read, so whoever sees the end sees all that was written before it.
            self?.state.withLock { state in
                _ = state.output.appendAll(from: output.fileHandleForReading)
                _ = state.errors.appendAll(from: errors.fileHandleForReading)
                let status =
                    process.terminationReason == .uncaughtSignal
                    ? -process.terminationStatus : process.terminationStatus
                state.exit = (status, .now)
            }
        }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var pid: Int32 { process.processIdentifier }
    var output: String { String(decoding: state.withLock { $0.output }, as: UTF8.self) }
    var errors: String { String(decoding: state.withLock { $0.errors }, as: UTF8.self) }
    /// The exit code, or the negative signal number; nil while it runs.
    var exitStatus: Int32? { state.withLock { $0.exit?.status } }
    var exitedAt: ContinuousClock.Instant? { state.withLock { $0.exit?.at } }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Writes to its standard input, which it must have been given.
    func write(_ text: String) throws { try input?.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func endInput() { try? input?.fileHandleForWriting.close() }

    /// The complete lines of standard output so far.
    var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: true) }

    /// The lines of `--events` so far.
    var events: [[String: Any]] {
        lines.compactMap { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any] }
    }

    /// The events that were printed since a position of the output, which moves on: for whoever looks often.
    func newEvents(since position: inout Int) -> [[String: Any]] {
        let new = state.withLock { $0.output[position...] }
        guard let end = new.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        position = end + 1
        return new[...end].split(separator: UInt8(ascii: "\n")).compactMap {
            (try? JSONSerialization.jsonObject(with: $0)) as? [String: Any]
        }
    }

    /// Whether an event with these fields was printed.
    func hasEvent(_ fields: [String: String]) -> Bool { count(of: fields) > 0 }

    /// How many events with these fields were printed.
    func count(of fields: [String: String]) -> Int {
        events.count { event in fields.allSatisfy { event[$0.key] as? String == $0.value } }
    }

    /// Waits for the end of the process.
    @discardableResult
    func waitForExit(within limit: Duration = .seconds(60)) async throws -> Int32 {
        try await eventually("\(process.arguments ?? []) ends", within: limit) { self.exitStatus != nil }
        return exitStatus ?? -1
    }

    /// Waits for the end of a process of which nothing more is asked: none in time is no failure.
    func letEnd(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while exitStatus == nil, ContinuousClock.now < deadline, (try? await Task.sleep(for: .milliseconds(20))) != nil
        {}
    }

    /// The JSON document that the program printed.
    func document() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }
}

extension Data {
    /// Appends what a pipe that does not block has now; whether more may come.
    fileprivate mutating func appendAll(from handle: FileHandle) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(handle.fileDescriptor, &chunk, chunk.count)
            if count > 0 {
                append(contentsOf: chunk[..<count])
            } else if count == 0 || errno != EINTR {
                return count < 0 && errno == EAGAIN
            }
        }
    }
}

/// Waits until `condition` holds; fails the test with `text` when it does not in time.
func eventually(
    _ text: String, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("not within \(limit): \(text)", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        // The pace of looking, not a wait for something to have happened.
        try await Task.sleep(for: .milliseconds(20))
    }
}
