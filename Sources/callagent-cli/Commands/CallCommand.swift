internal import ArgumentParser
internal import CallAgent

/// The command `callagent call`.
struct CallCommand: AgentCommand {
    static let configuration = CommandConfiguration(commandName: "call", abstract: "Places a call.")

    static let commonOptions = [
        "as", "signaling", "video", "audio", "audio-only", "duration", "repeat", "expect", "junit", "json",
    ]

    @Argument(help: "The user to call.")
    var peer: String

    @OptionGroup(title: "Call") var agent: AgentOptions

    @OptionGroup(title: "Call") var placing: PlacingOptions
    @OptionGroup(title: "Call") var start: StartOptions
    @OptionGroup(title: "Call") var script: ScriptOptions
    @OptionGroup(title: "Rooms") var transfer: TransferOptions
    @OptionGroup(title: "Call") var tokens: TokenOptions
    @OptionGroup(title: "Call") var identity: IdentityOptions
    @OptionGroup(title: "Media") var source: SourceOptions
    @OptionGroup(title: "Media") var additionalVideos: AdditionalVideoOptions
    @OptionGroup(title: "Call") var messages: MessageOptions
    @OptionGroup(title: "Media") var sink: SinkOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var hooks: HookOptions
    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions
    @OptionGroup var config: ConfigOptions

    var sendsMessages: Bool { messages.dataChannel }

    func validate() throws {
        try validateTogether()
        guard SignalingLimits.isName(peer) else { throw ValidationError(CallError.invalidUser(peer).description) }
        try script.check(against: placing.duration)
        try transfer.check(script)
    }

    func run() async throws {
        try agent.requireUser(of: "call")
        let command = self
        try await Interruption.handled { try await command.placeAll() }
    }

    private func placeAll() async throws {
        let session = try await Verdict.preparing("call", expectations) {
            try await prepareAgent(ahead: JoinAhead(media: placing.media), hooks: hooks)
        }
        let transfers = transfer.transfers(tokens, source, sink, output, log)
        await transfers.use(session)
        let progress = CallProgress(count: placing.count, peer: peer)
        let isShown = placing.count > 1 && !output.json && !output.events
        var verdict = Verdict(command: "call")
        var ended: [EndedCall] = []
        var placed: [JudgedCall] = []
        for _ in 0..<placing.count where !Task.isCancelled {
            do throws(CallError) {
                let (outcomes, failure) = try await place(in: session, transfers)
                ended += outcomes.map(\.ended)
                let judged = outcomes.map { JudgedCall(call: CallDocument($0.ended), failure: $0.failure) }
                verdict.calls += judged
                verdict.failure = verdict.failure ?? failure
                // The others are connections of the room that it went on in.
                placed += judged.prefix(1)
                if isShown { progress.show(placed) }
            } catch {
                verdict.failure = Failure(error)
                break
            }
        }
        if let failure = await session.close() { verdict.failure = failure }
        let document = CallsDocument(ended)
        if isShown { progress.end(document.summary) }
        try verdict.conclude(document, expectations, output)
    }

    /// Places a call, and stays in the room that it may go on in.
    private func place(
        in session: AgentSession, _ transfers: CallTransfers
    ) async throws(CallError) -> (outcomes: [CallOutcome], failure: Failure?) {
        let call = try await session.agent.call(
            peer, media: placing.media, id: placing.callId, room: placing.room,
            sends: MediaState(audio: start.audio ?? .on, video: start.video ?? .on), output: !start.startOutputOff)
        let outcome = await attendance(in: session, transfers, isBrief: placing.count > 1).attend(call) {
            [duration = placing.duration] in
            guard let limit = duration.duration, (try? await call.waitUntilConnected()) != nil else { return }
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            await call.hangUp()
        }
        let stay = await transfers.conclude(after: outcome, within: placing.duration.duration)
        return ([outcome] + (stay?.outcomes ?? []), stay?.failure)
    }
}
