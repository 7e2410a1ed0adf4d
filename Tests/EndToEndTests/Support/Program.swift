import Foundation
import Synchronization
import TestServers
import Testing

/// The built `callagent`, running as a process.
final class Program: Sendable {
    /// The path of the built program, next to the test runner.
    static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("callagent").path

    /// A line of `--events`.
    // Nobody changes what JSONSerialization returned.
    private struct Event: @unchecked Sendable { let fields: [String: Any] }

    private struct State {
        var output = Data()
        var events: [Event] = []
        /// How many bytes of the output are in `events`.
        var parsed = 0
        var errors = Data()
        var exit: (status: Int32, at: ContinuousClock.Instant)?
    }

    private let process = Process()
    /// In ms since 1970.
    private let started = (Date().timeIntervalSince1970 * 1_000).rounded(.down) - 1
    private final class Record: Sendable { let state = Mutex(State()) }
    private let record: Record
    private let reading: [ProcessOutput]
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
        let record = Record()
        let output = try ProcessOutput { data in record.state.withLock { $0.output += data } }
        let errors = try ProcessOutput { data in record.state.withLock { $0.errors += data } }
        self.record = record
        reading = [output, errors]
        process.standardOutput = output.writingEnd
        process.standardError = errors.writingEnd
        process.terminationHandler = { process in
            // When the end is visible, all output before it is visible too.
            for written in [output, errors] { written.drain() }
            let status =
                process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
            record.state.withLock { $0.exit = (status, .now) }
        }
        try process.run()
        for written in reading { written.began() }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var pid: Int32 { process.processIdentifier }
    /// The processes that it has started and that still run.
    var children: [Int32] {
        get throws {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
            return tasks.flatMap { task in
                // The thread may have ended meanwhile.
                let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)
                return (children ?? "").split(separator: " ").compactMap { Int32($0) }
            }
        }
    }
    var output: String { String(decoding: record.state.withLock { $0.output }, as: UTF8.self) }
    var errors: String { String(decoding: record.state.withLock { $0.errors }, as: UTF8.self) }
    /// The exit code, or the negative signal number; nil while it runs.
    var exitStatus: Int32? { record.state.withLock { $0.exit?.status } }
    var exitedAt: ContinuousClock.Instant? { record.state.withLock { $0.exit?.at } }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Writes to its standard input; it must have been started with one.
    func write(_ text: String) throws { try input?.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func endInput() { try? input?.fileHandleForWriting.close() }

    /// The complete lines of standard output so far.
    var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: true) }

    /// The lines of `--events` so far.
    ///
    /// Each is parsed once: tests poll this.
    var events: [[String: Any]] {
        let events = record.state.withLock { state in
            let new = state.output[state.parsed...]
            if let end = new.lastIndex(of: UInt8(ascii: "\n")) {
                state.events += new[...end].split(separator: UInt8(ascii: "\n")).compactMap { line in
                    ((try? JSONSerialization.jsonObject(with: line)) as? [String: Any]).map(Event.init)
                }
                state.parsed = end + 1
            }
            return state.events
        }
        return events.map(\.fields)
    }

    /// Those of them that do not have the time at which this program ran.
    var eventsWithoutTime: [[String: Any]] {
        let now = Date().timeIntervalSince1970 * 1_000
        return events.filter { !(started...now + 1_000).contains($0["unixMs"] as? Double ?? 0) }
    }

    /// The events printed since a position of the output, which is moved to the end.
    ///
    /// Use it for frequent polling.
    func newEvents(since position: inout Int) -> [[String: Any]] {
        let new = record.state.withLock { $0.output[position...] }
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

    /// Waits for the end of a process that the test does not need any more; a timeout is not a failure.
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

/// Waits until `condition` holds; fails the test with `text`, as it is then, on a timeout.
func eventually(
    _ text: @autoclosure () -> String, within limit: Duration = .seconds(20),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("not within \(limit): \(text())", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        // The polling interval; nothing depends on its length.
        try await Task.sleep(for: .milliseconds(20))
    }
}
