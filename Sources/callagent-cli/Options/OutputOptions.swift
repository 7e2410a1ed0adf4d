internal import ArgumentParser

/// How a command reports its calls.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document at the end.")
    var json = false

    @Flag(help: "Print one JSON object per line for each event.")
    var events = false

    @Option(
        help: ArgumentHelp(
            "How often --events prints the statistics of each call, with W3C's names and as rates.",
            valueName: "2s|500ms"))
    var statsInterval: DurationArgument?

    /// How often a call measures its media: as asked for, or for the line on the terminal.
    var measuringInterval: Duration? { statsInterval?.duration ?? (Output.isTerminal && !events ? .seconds(1) : nil) }

    func validate() throws {
        guard let statsInterval else { return }
        guard events else { throw ValidationError("--stats-interval needs --events") }
        guard statsInterval.milliseconds >= 100 else { throw ValidationError("--stats-interval takes 100ms or more") }
    }
}
