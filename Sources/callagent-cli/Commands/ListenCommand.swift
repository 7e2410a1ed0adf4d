internal import ArgumentParser
internal import CallAgent
internal import Foundation
internal import LocalNetwork
internal import MediaEngine
internal import RoomClient
internal import WHIPSignaling

/// The command `callagent listen`.
struct ListenCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Waits for calls and answers them.",
        discussion: """
            Each time the connection to the signaling server breaks, it connects again. \
            With --http-listen no signaling server is used: programs such as OBS send to it, and players watch it.
            """)

    static let commonOptions = [
        "as", "signaling", "answer", "allow", "video", "audio", "max-calls", "record", "once", "json",
    ]

    @OptionGroup(title: "Call") var agent: AgentOptions

    @OptionGroup(title: "Call") var answering: AnsweringOptions
    @OptionGroup(title: "Call") var start: StartOptions
    @OptionGroup(title: "Call") var script: ScriptOptions
    @OptionGroup(title: "Call") var tokens: TokenOptions
    @OptionGroup(title: "Media server") var endpoint: EndpointOptions
    @OptionGroup(title: "Media server") var broadcast: BroadcastOptions
    @OptionGroup(title: "Rooms") var transfer: TransferOptions
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
        try checkEndpoint()
        try checkPool()
        try transfer.check(script)
        guard broadcast.broadcast == nil || transfer.roomServer == nil else {
            throw ValidationError(
                "--broadcast and --room-server exclude each other: a broadcast pauses for calls of two only")
        }
        let host = ServerHost.of(serverURL)
        // Nobody opens a camera to everybody by accident.
        let isGuarded = endpoint.address == nil ? LocalAddresses.isLoopback(host) : endpoint.isGuarded
        guard
            isGuarded || !answering.allow.isEmpty || answering.reject || answering.busy || answering.answer == .never
        else {
            let advice =
                endpoint.address == nil
                ? "name the users whose calls are answered, with --allow USER"
                : "give a key for tokens with --http-token-key-file, or let everybody in with --allow \(WHIPEndpointConfiguration.guest)"
            throw ValidationError("on \(host) anybody could call: \(advice)")
        }
    }

    /// Refuses what has no meaning without a signaling server.
    private func checkEndpoint() throws {
        guard endpoint.address != nil else { return }
        guard !agent.namesSignaling else {
            throw ValidationError("--signaling and --http-listen exclude each other: calls come from one of them")
        }
        guard
            !endpoint.httpTokenKeyFile.isEmpty || answering.allow.allSatisfy({ $0 == WHIPEndpointConfiguration.guest })
        else {
            throw ValidationError(
                "without --http-token-key-file every client is '\(WHIPEndpointConfiguration.guest)', so --allow can name nobody else"
            )
        }
        guard tokens.token == nil, tokens.tokenFile == nil, identity.device == nil else {
            throw ValidationError(
                "--token, --token-file and --device are for a signaling server, which --http-listen does without")
        }
    }

    private func checkPool() throws {
        guard answering.pool else { return }
        guard !answering.once || !(answering.reject || answering.busy) else {
            throw ValidationError("--pool with --once needs a program that answers: leave --reject and --busy out")
        }
        guard endpoint.address == nil, agent.signalingURL.lowercased().hasPrefix("mqtt") else {
            throw ValidationError("--pool needs an MQTT broker, such as --signaling mqtt://127.0.0.1")
        }
    }

    /// A member of a pool has a name that no other member has.
    var device: DeviceName {
        DeviceName(name: identity.device ?? (answering.pool ? DeviceName.unique : nil), isInPool: answering.pool)
    }

    /// Where calls come from.
    var serverURL: String {
        guard let address = endpoint.address else { return agent.signalingURL }
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "http\(endpoint.httpTLSCert == nil ? "" : "s")://\(host):\(address.port)"
    }

    /// The user; a media server needs no name.
    var user: String {
        endpoint.address != nil && agent.user.isEmpty ? "listen" : agent.user
    }

    func run() async throws {
        if endpoint.address == nil { try agent.requireUser(of: "listen") }
        let command = self
        let (terminations, inbox) = AsyncStream<Void>.makeStream()
        let drain: @Sendable () -> Void = { inbox.yield() }
        try await Interruption.handled(termination: answering.pool ? drain : nil) {
            try await command.answerAll(until: terminations)
        }
    }

    /// Answers calls until the command is interrupted, or takes no more calls and those under way are over.
    private func answerAll(until terminations: AsyncStream<Void>) async throws {
        let transfers = transfer.transfers(tokens, source, sink, output, log)
        let session = try await Verdict.preparing("listen", expectations) {
            try await prepareAgent(
                maximumCalls: answering.maxCalls, ahead: JoinAhead(roles: [.callee]), hooks: hooks, endpoint: endpoint
            ) { answering.decide($0, isFull: await transfers.areFull(beyond: answering.maxCalls)) }
        }
        await transfers.use(session)
        let url = await session.endpoint?.url ?? serverURL
        let callee = session.agent
        let events = callee.events
        if output.events {
            var event = EventDocument("listening", of: callee.user)
            event.device = device.name
            event.url = url
            Output.event(event)
        } else if !output.json {
            let device = self.device.name.map { " on \($0)" } ?? ""
            let paths = session.endpoint == nil ? "" : ": WHIP at /whip, WHEP at /whep"
            Output.line("listening as \(callee.user)\(device) at \(url)\(paths)")
        }
        let run = try await beginBroadcast(session)
        // Kept only for the report at the end: a listener may run for months.
        let isReported = output.json || answering.once || !expectations.expect.isEmpty || expectations.junit != nil
        let kept = isReported ? OutcomeLog() : nil
        let command = self
        let drain = Task {
            for await _ in terminations {
                command.announceDrain(callee)
                await callee.stopTakingCalls()
            }
        }
        defer { drain.cancel() }
        if answering.once && (answering.reject || answering.busy) {
            for await event in events { if case .inviteRefused = event { break } }
        } else {
            await withDiscardingTaskGroup { group in
                for await call in callee.incomingCalls {
                    group.addTask { @Sendable in
                        let outcome = await command.handle(call, in: session, run?.broadcast, transfers)
                        kept?.append(outcome)
                        let limit = command.answering.maxDuration.duration
                        guard let stay = await transfers.conclude(after: outcome, within: limit) else { return }
                        for outcome in stay.outcomes { kept?.append(outcome) }
                        kept?.note(stay.failure)
                    }
                    if command.answering.once { break }
                }
            }
        }
        await run?.close()
        let failure = await session.close()
        let outcomes = kept?.outcomes ?? []
        let document = CallsDocument(outcomes.map(\.ended))
        // Of many calls some may fail.
        let judged = outcomes.map {
            JudgedCall(call: CallDocument($0.ended), failure: answering.once ? $0.failure : nil)
        }
        var verdict = Verdict(command: "listen", calls: judged)
        verdict.failure = failure ?? (answering.once ? kept?.failure : nil)
        try verdict.conclude(document, expectations, output)
    }

    /// Nil without `--broadcast`.
    private func beginBroadcast(_ session: AgentSession) async throws -> BroadcastRun? {
        guard let target = broadcast.target else { return nil }
        do {
            return try await makeBroadcast(to: target, session.engine)
        } catch {
            await session.close()
            throw error
        }
    }

    private func makeBroadcast(
        to target: BroadcastOptions.Target, _ engine: Engine
    ) async throws -> BroadcastRun {
        var media = try await agentConfiguration(engine, maximumCalls: 1, ahead: JoinAhead()).media
        media.outputs = OutputConfiguration()
        media.keepOneVideo()
        let tokenFile = broadcast.broadcastTokenFile
        let plan = BroadcastRun.Plan(
            target: target, name: user, media: media,
            token: tokenFile.map { file in { @Sendable in try TokenFile.read(file) } },
            pin: try broadcast.broadcastPinFile.map { try TokenFile.read($0) }, trustRootsFile: tokens.trustRoots)
        return BroadcastRun(
            plan, pausedAs: try await broadcast.pauseVideo(format: try source.format(), engine: engine), engine: engine,
            output: output,
            logger: log.logger("broadcast"))
    }

    private func announceDrain(_ agent: Agent) {
        let text = "takes no more calls; under way: \(agent.activeCalls.count)"
        if output.events {
            Output.event(EventDocument("draining", of: agent.user, text: text))
        } else if !output.json {
            Output.line("\(agent.user) \(text)")
        }
    }

    private func handle(_ call: Call, in session: AgentSession, _ broadcast: Broadcast?, _ transfers: CallTransfers)
        async -> CallOutcome
    {
        let isText = !output.json && !output.events
        if isText { Output.line("\(caller(of: call)) calls") }
        var attendance = attendance(in: session, transfers, isBrief: !answering.once)
        // Somebody who watches over WHEP sends nothing, and is not asked for it.
        if endpoint.address != nil, await call.peerSends == .nothing { attendance.sink = nil }
        let outcome = await attendance.attend(call) {
            await conduct(call) { await broadcast?.pause(for: call) }
        }
        if isText, !answering.once { Output.line(MediaLines.summary(outcome.report)) }
        return outcome
    }

    /// The caller, with what it said of itself, which nobody has checked.
    private func caller(of call: Call) -> String {
        let said = [call.callerDisplayName, call.callerAddress].compactMap(\.self).map { "\"\($0.printable)\"" }
        let data = CallWatch.pairs(call.inviteExtension)
        let room = RoomInvitation(extensionData: call.inviteExtension).map { " from room \($0.room)" } ?? ""
        return call.peer + (said.isEmpty ? "" : " (\(said.joined(separator: ", ")))") + room
            + (data.isEmpty ? "" : " [\(data)]")
    }

    /// Does to a call what the options say; a call that ended meanwhile refuses, which is fine.
    ///
    /// `prepare` runs before the call is accepted.
    func conduct(_ call: Call, prepare: () async -> Void = {}) async {
        guard case .after(let delay) = answering.answer else { return }
        if delay > .zero, (try? await Task.sleep(for: delay)) == nil { return }
        await prepare()
        try? await call.accept(audio: start.audio, video: start.video, output: !start.startOutputOff)
        guard let limit = answering.maxDuration.duration, (try? await call.waitUntilConnected()) != nil else { return }
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        await call.hangUp(text: "the longest duration of a call is over")
    }
}
