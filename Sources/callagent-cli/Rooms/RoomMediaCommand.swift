public import ArgumentParser
internal import CallAgent
internal import MediaEngine
public import RoomClient

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
    /// Whether the video is published in several layers.
    var publishesLayers: Bool { get }
    /// Nil: nothing is done on what is published.
    var script: ScriptOptions? { get }
    /// Nil: nobody is called into the room.
    var inviting: InvitingOptions? { get }
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
        try script?.check(in: Self.name, isStay: true)
    }

    func run() async throws {
        let command = self
        // The server has to learn that this end leaves, and it may be far away.
        try await Interruption.handled(within: .seconds(5)) { try await command.stayInRoom() }
    }

    private func stayInRoom() async throws {
        let prepared = try await Verdict.preparing(Self.name, expectations) { try await prepare() }
        let watch = AgentWatch.follow(prepared.room.agent, output)
        let inviting = prepared.inviting
        let visit = RoomVisit(
            room: prepared.room, output: output, source: sources, sink: sinks, script: script,
            network: prepared.network,
            inviting: inviting,
            leavesWhenAlone: inviting.map { inviting in { @Sendable () async -> Bool in !inviting.isUnderWay } })
        let result = await visit.stay(for: stay.duration.duration)
        _ = await watch.value
        await Task { await prepared.inviting?.agent.close() }.value
        await prepared.preview?.stop()
        await prepared.hooks?.finish()
        var verdict = Verdict(command: Self.name)
        verdict.failure = result.failure
        verdict.calls = result.outcomes.map { JudgedCall(call: CallDocument($0.ended), failure: $0.failure) }
        try verdict.conclude(CallsDocument(result.outcomes.map(\.ended)), expectations, output)
    }

    private func prepare() async throws -> PreparedStay {
        let engine = try await ProgramEngine.start(codecs.pipelines, log)
        let runner = try hooks.runner(trustRoots: tokens.trustRoots, logger: log.logger("hooks"))
        let settings = try await settings(engine, runner)
        let room = try makeRoom(engine, settings)
        let inviting = try await makeInviting(engine, settings)
        do {
            let preview = try await sources?.openPreview(engine, logger: log.logger("media"))
            return PreparedStay(
                room: room, hooks: runner, preview: preview, inviting: inviting, network: settings.media.network)
        } catch {
            await inviting?.agent.close()
            throw error
        }
    }

    private func settings(_ engine: Engine, _ runner: HookRunner?) async throws -> AgentConfiguration {
        var settings = AgentConfiguration(
            media: try await MediaConfiguration(
                sources, sinks, codecs, ice, engine: engine, signalingHost: ServerHost.of(place.server)))
        if sources == nil { settings.media.receiveOnly() }
        settings.media.trustRootsFile = tokens.trustRoots
        settings.media.emulateNetwork(for: script)
        settings.timeouts.connectMs = stay.connectTimeout.milliseconds
        settings.statisticsInterval = output.measuringInterval
        if let runner { settings.hooks = [runner] }
        return settings
    }

    /// Signs in for those who are called into the room; nil if nobody is.
    private func makeInviting(_ engine: Engine, _ settings: AgentConfiguration) async throws -> RoomInviting? {
        guard let inviting, !inviting.invite.isEmpty, let media else { return nil }
        var settings = settings
        settings.maximumCalls = inviting.invite.count
        settings.timeouts.ringMs = inviting.ringTimeout?.milliseconds ?? AgentConfiguration().timeouts.ringMs
        // It calls, and takes no calls.
        settings.screenInvite = { _ in .refuse(code: EndReason.remoteBusy.code, text: "busy") }
        let agent = Agent(
            user: place.displayName, media: engine,
            signaling: inviting.transport(tokens, logger: log.logger("signaling")),
            configuration: settings, logger: log.logger("call-agent"))
        do { try await agent.prepare() } catch {
            await agent.close()
            throw Failure(error)
        }
        let invitation = RoomInvitation(server: place.server, room: place.room, pin: try place.enteredPin())
        let attendance = CallAttendance(output: output, source: nil, sink: sinks, script: nil, isBrief: true)
        return RoomInviting(inviting.invite, to: invitation, with: agent, media: media, attendance: attendance)
    }

    private func makeRoom(_ engine: Engine, _ settings: AgentConfiguration) throws -> Room {
        var configuration = RoomConfiguration(
            connecting: settings, publishing: media, requestLimit: place.requestTimeout.duration)
        configuration.reconnects = stay.reconnect
        configuration.maximumReceived = stay.maxReceived
        configuration.layer = stay.layer
        configuration.publishesLayers = publishesLayers
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

/// What a stay in a room needs.
private struct PreparedStay {
    let room: Room
    let hooks: HookRunner?
    let preview: CapturePreview?
    let inviting: RoomInviting?
    /// What its connections send through; nil: no emulated network.
    let network: NetworkEmulator?
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

    @Option(
        help: ArgumentHelp(
            "What is received of video that is published in several versions (simulcast): low, medium or high.",
            valueName: "layer"))
    var layer = SimulcastLayer.high

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
    @OptionGroup(title: "Room") var invitations: InvitingOptions
    @OptionGroup(title: "Media") var source: SourceOptions
    @Flag(
        help:
            "Publish the video in half and in a quarter of its width and height, too, so that others can choose (simulcast)."
    )
    var simulcast = false
    @OptionGroup(title: "Media") var sinks: SinkOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var hooks: HookOptions
    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions

    var script: ScriptOptions? { actions }
    var inviting: InvitingOptions? { invitations }
    var publishesLayers: Bool { simulcast }
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

    var publishesLayers: Bool { false }
    var sources: SourceOptions? { nil }
    var media: CallMedia? { nil }
    var script: ScriptOptions? { nil }
    var inviting: InvitingOptions? { nil }
}

extension SimulcastLayer: ExpressibleByArgument {}
