internal import ArgumentParser
internal import Logging

/// How a command tells what happened in its calls.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document at the end.")
    var json = false

    @Flag(help: "Print one JSON object per line as things happen.")
    var events = false

    @OptionGroup var log: LogOptions

    func logger(_ label: String) -> Logger { log.logger(label) }
}
