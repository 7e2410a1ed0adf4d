internal import ArgumentParser
internal import Foundation
internal import Logging

/// What a command logs to standard error.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The least severe log messages to show on standard error. trace-media adds GStreamer's own log, with the "
                + "levels in the environment variable GST_DEBUG, else INFO and above.",
            valueName: LogLevel.allCases.map(\.rawValue).joined(separator: "|")))
    var logLevel: LogLevel = .error

    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { StatusLine.Log.handler(label: $0) }
        logger.logLevel = logLevel.loggerLevel
        return logger
    }

    /// What GStreamer logs, as in `GST_DEBUG`; nil: GStreamer handles its own log.
    var gstreamerLog: String? {
        guard logLevel == .traceMedia else { return nil }
        let asked = ProcessInfo.processInfo.environment["GST_DEBUG"] ?? ""
        return asked.isEmpty ? "*:INFO" : asked
    }
}

/// How much the program logs.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case error, warning, info, debug, trace
    /// All messages of the program, and GStreamer's own log.
    case traceMedia = "trace-media"

    /// The least severe of the program's own messages.
    var loggerLevel: Logger.Level {
        switch self {
        case .error: .error
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        case .trace, .traceMedia: .trace
        }
    }
}
