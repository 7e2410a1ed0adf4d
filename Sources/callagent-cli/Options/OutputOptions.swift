internal import ArgumentParser
internal import Logging

/// How a command tells what happened in its calls.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document at the end.")
    var json = false

    @Flag(help: "Print one JSON object per line as things happen.")
    var events = false

    @Option(
        help: ArgumentHelp(
            "How often --events tells the statistics of each call, under W3C's names and as rates.",
            valueName: "2s|500ms"))
    var statsInterval: DurationArgument?

    @OptionGroup var log: LogOptions

    func validate() throws {
        guard let statsInterval else { return }
        guard events else { throw ValidationError("--stats-interval needs --events") }
        guard statsInterval.milliseconds >= 100 else { throw ValidationError("--stats-interval takes 100ms or more") }
    }

    func logger(_ label: String) -> Logger { log.logger(label) }
}
