public import ArgumentParser
public import Logging

/// What a command says of its doings on standard error.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The least severe log messages to show on standard error.", valueName: "error|warning|info|debug|trace"))
    var logLevel: Logger.Level = .error

    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        return logger
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
