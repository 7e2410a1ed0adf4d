internal import ArgumentParser

/// What a user expects of a command's calls, and where the verdict goes.
struct ExpectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fail with exit code 6 unless this holds (repeatable): a figure of the JSON document, one of < <= > >= == !=, and a number. "
                + "Examples: summary.connected==1, video.received.lossPercent<1, in demo caller.video.received.lossPercent<1.",
            valueName: "figure==number"),
        transform: Expectation.init(parsing:))
    var expect: [Expectation] = []

    @Option(
        help: ArgumentHelp(
            "Write the verdict as JUnit XML: a test case for each call and for each expectation.", valueName: "file"),
        completion: .file(extensions: ["xml"]))
    var junit: String?

    /// Refuses figures that the command's document never has.
    func checkFigures(in document: Figures.Document) throws {
        for path in expect.map(\.path) {
            if let complaint = Figures.complaint(about: path, in: document) {
                throw ValidationError("--expect: \(complaint)")
            }
        }
    }

    func validate() throws {
        if let junit { try WritableFile.check(junit, option: "--junit") }
    }
}
