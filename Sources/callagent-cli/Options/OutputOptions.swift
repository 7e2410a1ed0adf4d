public import ArgumentParser
public import Logging

/// How a command tells what happened.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document at the end.")
    var json = false

    @Flag(help: "Print one JSON object per line as things happen.")
    var events = false

    @Option(
        help: ArgumentHelp(
            "Fail with exit code 6 unless a number of the JSON document is so (repeatable), such as summary.connected==1.",
            valueName: "path<number"))
    var expect: [Expectation] = []

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
