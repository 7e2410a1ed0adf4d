internal import ArgumentParser
internal import Foundation

/// What a user expects of a command's calls, and where the verdict goes.
struct ExpectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fail with exit code 6 unless a number of the JSON document is so (repeatable), with one of < <= > >= == !=, "
                + "such as summary.connected==1 or video.received.lossPercent<1; in demo caller.video.received.lossPercent<1.",
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
        guard let junit else { return }
        let folder = URL(fileURLWithPath: junit).deletingLastPathComponent().path
        let files = FileManager.default
        guard !junit.isEmpty, !files.fileExists(atPath: junit + "/.") else {
            throw ValidationError("--junit: '\(junit)' is a folder; name a file in it")
        }
        // Written beside its place first; whether that goes only trying tells. A file that must not be changed is left alone.
        let trial = URL(fileURLWithPath: folder).appendingPathComponent(".callagent-\(UUID().uuidString)").path
        let canWrite = files.createFile(atPath: trial, contents: nil)
        if canWrite { try? files.removeItem(atPath: trial) }
        guard canWrite, !files.fileExists(atPath: junit) || files.isWritableFile(atPath: junit) else {
            throw ValidationError(
                "--junit: '\(junit)' cannot be written; name a file in a folder that is there and may be written to")
        }
    }
}
