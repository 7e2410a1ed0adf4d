internal import ArgumentParser
internal import CallAgent
internal import MediaEngine
internal import RoomClient

/// A command that stays in a room: it receives the others, and may publish.
///
/// Each connection is a call, so it has the events, figures and exit codes of a call.
protocol RoomMediaCommand: AsyncParsableCommand, Sendable {
    var place: RoomOptions { get }
    /// Nil: nothing is published.
    var sources: SourceOptions? { get }
    var media: CallMedia? { get }
    var stay: RoomStayOptions { get }
    var sinks: SinkOptions { get }
    var tokens: TokenOptions { get }
    var codecs: CodecOptions { get }
    var ice: IceOptions { get }
    /// Nil: nothing is done on what is published.
    var script: ScriptOptions? { get }
    var output: OutputOptions { get }
    var hooks: HookOptions { get }
    var log: LogOptions { get }
    var expectations: ExpectOptions { get }
}

extension RoomMediaCommand {
    private static var name: String { "room \(configuration.commandName ?? "")" }

    func validate() throws {
        try expectations.checkFigures(in: .calls)
        try script?.check(against: stay.duration)
    }

    func run() async throws {
        let command = self
        // The server has to learn that this end leaves, and it may be far away.
        try await Interruption.handled(within: .seconds(5)) { try await command.stayInRoom() }
    }

    private func stayInRoom() async throws {
        let (room, runner, preview) = try await Verdict.preparing(Self.name, expectations) { try await prepare() }
        let watch = AgentWatch.follow(room.agent, output, tokenFile: nil)
        let visit = RoomVisit(
            room: room, output: output,
            // The room sends nothing itself, which need not be said.
            publishing: CallAttendance(
                output: output, source: sources, sink: nil, script: script, isBrief: true, isQuiet: true),
            receiving: CallAttendance(output: output, source: nil, sink: sinks, script: nil, isBrief: true))
        let result = await visit.stay(for: stay.duration.duration)
        _ = await watch.value
        await preview?.stop()
        await runner?.finish()
        var verdict = Verdict(command: Self.name)
        verdict.failure = result.failure
        verdict.calls = result.outcomes.map { JudgedCall(call: CallDocument($0.report), failure: $0.failure) }
        try verdict.conclude(CallsDocument(result.outcomes.map(\.report)), expectations, output)
    }

    private func prepare() async throws -> (Room, HookRunner?, CapturePreview?) {
        let engine = try await ProgramEngine.start(codecs.pipelines, log)
        let runner = try hooks.runner(trustRoots: tokens.trustRoots, logger: log.logger("hooks"))
        let room = try await makeRoom(engine, runner)
        return (room, runner, try await sources?.openPreview(engine, logger: log.logger("media")))
    }

    private func makeRoom(_ engine: Engine, _ runner: HookRunner?) async throws -> Room {
        var settings = AgentConfiguration(
            media: try await MediaConfiguration(
                sources, sinks, codecs, ice, engine: engine, signalingHost: ServerHost.of(place.server)))
        if sources == nil { settings.media.receiveOnly() }
        settings.media.trustRootsFile = tokens.trustRoots
        // The server's own answer says more than the end of this time.
        settings.timeouts.ringMs = min(
            place.requestTimeout.milliseconds + 5_000, SignalingLimits.ringTimeoutMs)
        settings.timeouts.connectMs = stay.connectTimeout.milliseconds
        settings.statisticsInterval = output.measuringInterval
        settings.keptReports = 0
        if let runner { settings.hooks = [runner] }
        var configuration = RoomConfiguration(settings, publishes: media)
        configuration.reconnects = stay.reconnect
        configuration.maximumReceived = stay.maxReceived
        if !stay.only.isEmpty { configuration.receives = { [only = stay.only] in only.contains($0.displayName) } }
        do {
            return try Room(
                place.room, as: place.displayName, on: try place.engine(tokens, log), pin: try place.enteredPin(),
                media: engine, configuration: configuration, logger: log.logger("room"))
        } catch let error as RoomError {
            throw Failure(error)
        }
    }
}

/// How long a command stays in a room, and whom it receives.
struct RoomStayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to stay in the room; until Ctrl-C by default.", valueName: "10|500ms|1m30s|forever"))
    var duration = TimeLimit.forever

    @Option(
        help: ArgumentHelp("How long a connection may take until its first frame.", valueName: "2s|500ms"))
    var connectTimeout = DurationArgument(.seconds(10))

    @Flag(help: "Join again whenever the connection is lost, after 1 s to 30 s.")
    var reconnect = false

    @Option(help: ArgumentHelp("Receive only participants with this name (repeatable).", valueName: "name"))
    var only: [String] = []

    @Option(help: ArgumentHelp("How many participants are received at most.", valueName: "count"))
    var maxReceived = 50

    func validate() throws {
        guard connectTimeout.milliseconds > 0 else { throw ValidationError("a timeout must be longer than 0") }
        guard (1...1_000).contains(maxReceived) else { throw ValidationError("--max-received takes 1 to 1000") }
    }
}

/// The command `callagent room join`.
struct RoomJoinCommand: RoomMediaCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Publishes a camera and a microphone in a room, and receives the others.")

    @OptionGroup(title: "Room") var place: RoomOptions
    @OptionGroup(title: "Room") var stay: RoomStayOptions
    @OptionGroup(title: "Room") var tokens: TokenOptions
    @OptionGroup(title: "Room") var actions: ScriptOptions
    @OptionGroup(title: "Media") var source: SourceOptions
    @OptionGroup(title: "Media") var sinks: SinkOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var hooks: HookOptions
    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions

    var script: ScriptOptions? { actions }
    var sources: SourceOptions? { source }
    var media: CallMedia? { CallMedia(audio: source.audio != "none", video: source.video != "none") }
}

/// The command `callagent room watch`.
struct RoomWatchCommand: RoomMediaCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Receives what the participants of a room publish, and publishes nothing.")

    @OptionGroup(title: "Room") var place: RoomOptions
    @OptionGroup(title: "Room") var stay: RoomStayOptions
    @OptionGroup(title: "Room") var tokens: TokenOptions
    @OptionGroup(title: "Media") var sinks: SinkOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var hooks: HookOptions
    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions

    var sources: SourceOptions? { nil }
    var media: CallMedia? { nil }
    var script: ScriptOptions? { nil }
}
