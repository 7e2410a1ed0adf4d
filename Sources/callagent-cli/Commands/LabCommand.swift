internal import ArgumentParser
internal import Foundation
internal import MediaEngine

/// The command `callagent lab`.
struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab", abstract: "Places a call over each of several emulated networks and compares what arrives.",
        discussion: """
            Both ends are in this process, and send through the network. Each row of the table has the worse of the two ends. \
            It needs no privileges; docs/cli.md says what is emulated.
            """)

    @Argument(
        help: ArgumentHelp("The networks: \(NetworkArgument.form). Default: all names.", valueName: "conditions"),
        transform: NetworkArgument.init(parsing:))
    var networks: [NetworkArgument] = []

    @Option(help: ArgumentHelp("How long each call stays connected.", valueName: "2s|500ms"))
    var duration = DurationArgument(.seconds(10))

    @Option(help: ArgumentHelp("The size and rate of the video.", valueName: "WIDTHxHEIGHT[@FPS]"))
    var videoSize = "640x360@30"

    @Option(help: ArgumentHelp("The highest rate of the video, in kbit/s.", valueName: "kbit"))
    var videoRate = 1_000

    @Option(help: ArgumentHelp("The video codecs, best first and no others.", valueName: "codec,…"))
    var codec = "vp8"

    @Option(
        help: ArgumentHelp(
            "What is kept longest when the network takes too little.", valueName: "motion|detail|balanced"))
    var prefer = DegradationPreference.balanced

    @Flag(help: "Print what each of the networks does, and place no call.")
    var list = false

    @Flag(help: "Print one JSON document at the end, as callagent test does; with --list, the networks.")
    var json = false

    @Option(
        help: ArgumentHelp("Write one HTML file, with plots of rate, frames and loss over time.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @OptionGroup var log: LogOptions

    func validate() throws {
        guard duration.milliseconds > 0 else { throw ValidationError("--duration must be longer than 0") }
        guard VideoSizeArgument.format(videoSize) != nil else {
            throw ValidationError("--video-size: \(VideoSizeArgument.advice(videoSize))")
        }
        guard CodecOptions.rates.contains(videoRate) else {
            throw ValidationError(
                "--video-rate takes \(CodecOptions.rates.lowerBound) to \(CodecOptions.rates.upperBound) kbit/s")
        }
        do { _ = try CodecList.codecs(codec, kind: .video) } catch { throw ValidationError("--codec: \(error)") }
        if let html { try WritableFile.check(html, option: "--html") }
    }

    func run() async throws {
        guard !list else { return try printNetworks() }
        let command = self
        // The call hangs up for itself.
        try await Interruption.handled(within: .seconds(5)) { try await command.compare() }
    }

    private var chosen: [NetworkArgument] {
        get throws {
            networks.isEmpty
                ? try NetworkSchedule.known.map { try NetworkArgument(parsing: $0.name) } : networks
        }
    }

    private func printNetworks() throws {
        let chosen = try chosen
        guard !json else { return Output.document(chosen.map(NetworkDocument.init)) }
        let width = chosen.map(\.text.count).max() ?? 0
        for network in chosen { Output.line("\(network.text.padded(to: width))  \(network.schedule.words)") }
    }

    private func compare() async throws {
        let folder = ArtifactFolder(nil)
        defer { folder.removeIfTemporary() }
        let engine = try await ProgramEngine.start(nil, log)
        var runs: [ScenarioRun] = []
        for network in try chosen {
            let scenario = try scenario(on: network, in: folder)
            runs.append(
                try await ScenarioRun(
                    scenario, number: runs.count, engine, log, measuring: html == nil ? nil : .milliseconds(250)))
        }
        if !json { Output.line(LabTable.head) }
        var results: [ScenarioResult] = []
        for run in runs where !Task.isCancelled {
            let result = await run.run()
            results.append(result)
            if !json, !result.isInterrupted { Output.line(LabTable.line(result)) }
        }
        await Task { await engine.shutDown() }.value
        let suite = ScenarioSuite(results: results, count: runs.count)
        if json { Output.document(ScenarioDocument(suite)) }
        try WritableFile.afterCalls(suite.failure) { () throws(Failure) in
            if let html { try ScenarioPage(suite).write(to: html) }
        }
        if let failure = suite.failure { throw failure }
    }

    /// A call between two parties that send what names its frames.
    private func scenario(on network: NetworkArgument, in folder: ArtifactFolder) throws -> Scenario {
        let place = try folder.make(for: "lab", on: network)
        let party =
            "{video: clock, video-size: \(videoSize), video-rate: \(videoRate), codec: \"\(codec)\", prefer: \(prefer.rawValue)}"
        let seconds = duration.duration / .seconds(1)
        let text = """
            name: A call
            parties: {alice: \(party), bob: \(party)}
            steps: [{party: alice, do: call:bob}]
            duration: \(duration.milliseconds)ms
            within: \(Int(seconds) + 60)s
            """
        let file = place + "/lab.yaml"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try ScenarioReader(folder: place, options: PartyOptions(), network: network).read(file)
    }
}
