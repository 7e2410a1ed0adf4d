internal import ArgumentParser

/// Where more options come from.
struct ConfigOptions: ParsableArguments {
    /// Read by ``ConfigFile`` before the parser sees the arguments; declared for the help and the completion.
    @Option(
        help: ArgumentHelp(
            "Take options from a JSON object with their long names as keys; the command line wins.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?
}
