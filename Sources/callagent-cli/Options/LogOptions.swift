internal import ArgumentParser
internal import Foundation
internal import Logging

/// What a command says of its doings on standard error.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The least severe log messages to show on standard error. trace-media adds GStreamer's own log: what the environment "
                + "variable GST_DEBUG asks for, else what is of its level INFO or above.",
            valueName: LogLevel.allCases.map(\.rawValue).joined(separator: "|")))
    var logLevel: LogLevel = .error

    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel.loggerLevel
        return logger
    }

    /// What GStreamer is to log, as in `GST_DEBUG`; nil leaves its log to itself.
    var gstreamerLog: String? {
        guard logLevel == .traceMedia else { return nil }
        let asked = ProcessInfo.processInfo.environment["GST_DEBUG"] ?? ""
        return asked.isEmpty ? "*:INFO" : asked
    }
}
