internal import ArgumentParser
internal import CallAgent
internal import MediaEngine
internal import SignalingServer
internal import WebSocketSignaling

/// The command `callagent demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Places a real call between two agents of its own and checks what arrives.",
        discussion: "It needs no network, no camera and no arguments: signaling and media stay on 127.0.0.1.")

    @Option(help: ArgumentHelp("How many calls to place, one after the other.", valueName: "N"))
    var calls = 1

    @Option(help: ArgumentHelp("How long the callee lets it ring.", valueName: "2s|500ms"))
    var answerAfter = DurationArgument(.zero)

    @Option(help: ArgumentHelp("How long each call stays connected.", valueName: "2s|500ms"))
    var duration = DurationArgument(.seconds(3))

    @Option(help: ArgumentHelp("What happens while a call rings.", valueName: "full|guarded|off"))
    var earlyMedia: EarlyMediaPolicy = .guarded

    @Option(help: ArgumentHelp("The video codecs, best first and no others.", valueName: "codec,…"))
    var codec = "vp8"

    @Option(help: ArgumentHelp("The audio codecs, best first and no others.", valueName: "codec,…"))
    var audioCodec = "opus"

    @Option(help: ArgumentHelp("Record what the callee received, as Matroska.", valueName: "file"))
    var record: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var log: LogOptions
    @OptionGroup var expectations: ExpectOptions
    @OptionGroup var config: ConfigOptions

    func validate() throws {
        guard (1...100_000).contains(calls) else { throw ValidationError("--calls takes 1 to 100000") }
        try expectations.checkFigures(in: .demo)
    }

    func run() async throws {
        let command = self
        try await Interruption.handled {
            let placed = try await Verdict.preparing("demo", command.expectations) { try await command.placeCalls() }
            let document = Document(placed)
            command.report(placed, document.summary)
            let isWhole = !Task.isCancelled
            let calls = zip(placed, document.calls).map { call, documents in
                JudgedCall(call: documents.caller.call, failure: isWhole ? call.failure : nil)
            }
            try Verdict(command: "demo", calls: calls).conclude(document, command.expectations, command.output)
        }
    }

    private func placeCalls() async throws -> [DemoCall] {
        let recordingPath = try RecordingPath.checked(record)
        let chosen: (video: [Codec], audio: [Codec])
        do {
            let video = try RecordingPath.codecs(try CodecList.codecs(codec, kind: .video), for: record)
            let audio = try RecordingPath.codecs(try CodecList.codecs(audioCodec, kind: .audio), for: record)
            chosen = (video, audio)
        } catch {
            throw Failure(error)
        }
        let engine = try await ProgramEngine.start(nil, log)
        do {
            for codec in chosen.video + chosen.audio { try await engine.check(codec) }
        } catch {
            throw Failure(error)
        }
        let server: Server
        do {
            server = try await Server.start(configuration: .init(port: 0), logger: log.logger("server"))
        } catch {
            throw Failure(error)
        }
        var alice = AgentConfiguration(video: .marked(.ball), audio: .clock(hertz: 440))
        var bob = AgentConfiguration(
            video: .marked(.smpte, format: VideoFormat(width: 480, height: 270)), audio: .clock(hertz: 554))
        bob.media.outputs.recordingPath = recordingPath
        let demo = Demo(
            caller: agent("alice", &alice, chosen, engine, server), callee: agent("bob", &bob, chosen, engine, server),
            answerAfter: answerAfter.duration, duration: duration.duration, output: output)
        let result: Result<[DemoCall], Failure>
        do throws(Failure) {
            result = .success(try await demo.run(count: calls))
        } catch {
            result = .failure(error)
        }
        await Task {
            await demo.caller.close()
            await demo.callee.close()
            await server.shutdown()
            await engine.shutDown()
        }.value
        return try result.get()
    }

    private func agent(
        _ user: String, _ configuration: inout AgentConfiguration, _ codecs: (video: [Codec], audio: [Codec]),
        _ engine: Engine, _ server: Server
    ) -> Agent {
        configuration.earlyMedia = earlyMedia
        configuration.statisticsInterval = output.measuringInterval
        (configuration.media.videoCodecs, configuration.media.audioCodecs) = codecs
        // What arrives is compared with what was sent.
        configuration.media.measurements = Set(MediaMeasurement.allCases)
        // The transport is tuned as for any network; only the addresses are those of this machine.
        configuration.media.tuning.localAddresses = ["127.0.0.1"]
        let signaling = WebSocketTransport(url: "ws://127.0.0.1:\(server.port)", logger: log.logger("signaling"))
        return Agent(
            user: user, media: engine, signaling: signaling, configuration: configuration, logger: log.logger(user))
    }

    private struct Document: Encodable {
        struct Pair: Encodable {
            let caller: DetailedCallDocument
            let callee: DetailedCallDocument
        }

        let calls: [Pair]
        let summary: SummaryDocument

        init(_ placed: [DemoCall]) {
            calls = placed.map { call in
                Pair(
                    caller: DetailedCallDocument(call.caller, acceptedAtCallee: call.callee.acceptedAtCallee),
                    callee: DetailedCallDocument(call.callee))
            }
            var summary = SummaryDocument(isPair: true)
            for pair in calls { summary.add(pair.caller.call, callee: pair.callee.call) }
            self.summary = summary
        }
    }

    /// Of one call everything; of several the figures, and what happened in those that failed.
    private func report(_ placed: [DemoCall], _ summary: SummaryDocument) {
        guard !output.json, !output.events else { return }
        let isOne = calls == 1
        for call in placed where isOne || !call.complaints.isEmpty {
            for line in call.lines { Output.line(line) }
        }
        if !isOne { CallProgress(count: calls, peer: "bob").end(summary) }
        guard let spread = summary.firstFrameMs else { return }
        let range = placed.count > 1 ? " (\(spread.min) to \(spread.max))" : ""
        Output.line("both ends saw the first frame after \(spread.median) ms\(range)")
    }
}
