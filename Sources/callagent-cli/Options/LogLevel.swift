internal import ArgumentParser
internal import Logging

/// How much the program says of its doings.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case error, warning, info, debug, trace
    /// All that the program says, and GStreamer's own log.
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
