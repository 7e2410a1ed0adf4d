import Logging
import Synchronization

/// The log lines, as `level message key=value …` with sorted keys.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])
    private let mailbox = Mailbox<String>()

    var all: [String] { lines.withLock { $0 } }
    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    /// The next line with that message.
    func next(_ message: String) async throws -> String? {
        while let line = try await mailbox.next() {
            if line.contains(" \(message)") { return line }
        }
        return nil
    }

    private func put(_ line: String) {
        lines.withLock { $0.append(line) }
        mailbox.put(line)
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            lines.put("\(event.level) \(event.message)\(fields.joined())")
        }
    }
}
