internal import ArgumentParser

/// What a user expects of a command's JSON document.
struct ExpectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fail with exit code 6 unless a number of the JSON document is so (repeatable), with one of < <= > >= == !=, "
                + "such as summary.connected==1 or timelineMs.firstVideoFrame<200.",
            valueName: "path==number"))
    var expect: [Expectation] = []
}
