internal import ArgumentParser
internal import CallAgent
internal import Foundation
internal import HTTPClient
internal import MediaEngine

/// The command `callagent load`.
struct LoadCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Places many calls at a time and judges them.",
        discussion: """
            Several processes share the calls. With --pair both ends are here, over a signaling server of its own on \
            127.0.0.1. Otherwise each of the callees must take enough calls: callagent listen --max-calls N. The URL of a \
            media server in place of callees has many viewers there (WHEP). Ctrl-C hangs up, and the report has the calls \
            so far.
            """)

    static let commonOptions = [
        "pair", "as", "signaling", "calls", "rate", "duration", "total", "for", "expect", "html",
    ]

    @Argument(help: "The users to call, in turns; or the URL of a media server's WHEP endpoint.")
    var callees: [String] = []

    @OptionGroup(title: "Load") var load: LoadOptions
    @OptionGroup(title: "Call") var agent: AgentOptions

    @OptionGroup(title: "Call") var start: StartOptions
    @OptionGroup(title: "Call") var script: ScriptOptions
    @OptionGroup(title: "Call") var tokens: TokenOptions
    @OptionGroup(title: "Call") var identity: IdentityOptions
    @OptionGroup(title: "Media") var source: SourceOptions
    @OptionGroup(title: "Media") var additionalVideos: AdditionalVideoOptions
    @OptionGroup(title: "Media") var sink: SinkOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions

    @OptionGroup(title: "Output") var output: OutputOptions

    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions
    @OptionGroup var config: ConfigOptions

    /// Which worker this process is; nil: the one that starts them.
    @Option(help: .hidden)
    var worker: WorkerShare?

    /// Whether both ends of each call are here.
    var pair: Bool { load.pair }

    /// The media server whose viewers the calls are; nil: they are calls of users.
    var endpoint: String? { callees.first.flatMap { $0.contains("://") ? $0 : nil } }

    var serverURL: String { endpoint ?? agent.signalingURL }

    var document: Figures.Document { pair ? .loadedPairs : .load }

    var callMedia: CallMedia { load.audioOnly ? .audioOnly : .audioVideo }

    /// What callers send at the beginning.
    var callerSends: MediaState {
        endpoint == nil ? MediaState(audio: start.audio ?? .on, video: start.video ?? .on) : .nothing
    }

    /// What each end sends.
    var sentMedia: CallMedia {
        CallMedia(audio: source.audio != "none", video: !load.audioOnly && source.video != "none")
    }

    func validate() throws {
        try validateTogether()
        guard output.statsInterval == nil else {
            throw ValidationError("--stats-interval is for single calls; a load prints a moment every second")
        }
        guard sink.sinkVideo == "discard", sink.sinkAudio == "discard",
            !script.at.contains(where: { $0.text.hasPrefix("snapshot:") })
        else {
            throw ValidationError("--sink-video, --sink-audio and snapshots are for single calls; use callagent call")
        }
        guard sink.record == nil, source.preview == nil else {
            throw ValidationError("--record and --preview are for single calls; use callagent call or listen")
        }
        try script.check(against: load.duration)
        try script.check(in: "load")
        // A worker gets its server from the process that started it.
        guard worker == nil else { return }
        if pair {
            guard callees.isEmpty, agent.user.isEmpty, !agent.namesSignaling else {
                throw ValidationError(
                    "--pair has both users and a server of its own: leave callees, --as and --signaling out")
            }
        } else if endpoint != nil, (load.workersAt ?? load.workFor) != nil {
            throw ValidationError("viewers of a media server do not sign in: leave --workers-at and --work-for out")
        } else if endpoint != nil {
            guard callees.count == 1, (try? HTTPURL(callees[0])) != nil else {
                throw ValidationError("give the http:// or https:// URL of one media server, and no other callees")
            }
            guard agent.user.isEmpty, !agent.namesSignaling else {
                throw ValidationError("viewers of a media server do not sign in: leave --as and --signaling out")
            }
        } else {
            guard !callees.isEmpty || load.workFor != nil else {
                throw ValidationError("name the users to call, or use --pair")
            }
            for callee in callees where !SignalingLimits.isName(callee) {
                throw ValidationError(CallError.invalidUser(callee).description)
            }
        }
    }

    func run() async throws {
        if !pair, endpoint == nil { try agent.requireUser(of: "load") }
        let command = self
        // Many calls take longer to hang up than one.
        try await Interruption.handled(within: .seconds(10)) {
            if let worker = command.worker {
                await LoadWorker(command: command, share: worker).run()
            } else if let customer = command.load.workFor {
                guard command.callees.isEmpty else {
                    throw Failure(.usage, "with --work-for the callees are those of the loads: leave them out")
                }
                try await LoadService(command, for: customer).run()
            } else {
                try await command.runWorkers()
            }
        }
    }

    private func runWorkers() async throws {
        let tally = try await Verdict.preparing("load", expectations) { try await LoadRun(command: self).run() }
        if let failure = tally.failure, tally.calls.isEmpty {
            try Verdict(command: "load", failure: failure).conclude([String: Int](), expectations, nil)
        }
        let document = LoadDocument(tally)
        if !output.json, !output.events { for line in document.table.lines { Output.line(line) } }
        let verdict = Verdict(command: "load", calls: tally.calls, failure: tally.fault, checks: tally.checks)
        var failure: Failure?
        do throws(Failure) { try verdict.conclude(document, expectations, output) } catch { failure = error }
        if let html = load.html {
            let page = LoadPage(
                document, tally, arguments: Array(CommandLine.arguments.dropFirst()),
                verdict: Interruption.status != nil ? .interrupted : failure == nil ? .pass : .fail)
            try WritableFile.afterCalls(failure) { () throws(Failure) in try page.write(to: html) }
        }
        if let failure { throw failure }
    }
}
