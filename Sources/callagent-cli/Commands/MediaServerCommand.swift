internal import ArgumentParser
internal import CallAgent
internal import HTTPClient
internal import MediaEngine
internal import TransportSecurity
internal import WHIPSignaling

/// A command that has a session on a media server: it sends media there (WHIP), or receives media from there (WHEP).
///
/// The session is a call whose callee is the server, so it has the events, figures and exit codes of a call.
protocol MediaServerCommand: AsyncParsableCommand, ShortHelpCommand, Sendable {
    static var role: WHIPRole { get }
    var url: String { get }
    var media: CallMedia { get }
    /// Nil: nothing is sent.
    var sources: SourceOptions? { get }
    /// Nil: nothing is received.
    var sinks: SinkOptions? { get }
    var session: SessionOptions { get }
    var tokens: TokenOptions { get }
    var codecs: CodecOptions { get }
    var ice: IceOptions { get }
    var script: ScriptOptions { get }
    var output: OutputOptions { get }
    var hooks: HookOptions { get }
    var log: LogOptions { get }
    var expectations: ExpectOptions { get }
}

extension MediaServerCommand {
    private static var name: String { configuration.commandName ?? "" }
    /// How many former sessions the report has.
    private static var kept: Int { 100 }

    /// Checks the URL, and what the options of several groups mean together.
    func validate() throws {
        try expectations.checkFigures(in: .calls)
        try script.check(against: session.duration)
        try script.check(in: Self.name)
        do {
            _ = try HTTPURL(url)
        } catch {
            let advice = "give the URL of the server's endpoint, such as https://example.org/\(Self.role.endpoint)/room"
            throw ValidationError("'\(url)' is no http:// or https:// URL without a password; \(advice)")
        }
    }

    func run() async throws {
        let command = self
        // The session has to be ended on the server, which may be far away.
        try await Interruption.handled(within: .seconds(5)) { try await command.haveSessions() }
    }

    /// Has one session, or one after the other, and judges what came of it.
    private func haveSessions() async throws {
        let agent = try await Verdict.preparing(Self.name, expectations) { try await prepare() }
        var verdict = Verdict(command: Self.name)
        var ended: [EndedCall] = []
        var pause = Duration.seconds(1)
        repeat {
            var isOver = true
            do throws(CallError) {
                let outcome = try await attend(in: agent)
                verdict.failure = nil
                if session.reconnect { for index in verdict.calls.indices { verdict.calls[index].failure = nil } }
                (ended, verdict.calls) = (ended.suffix(Self.kept), verdict.calls.suffix(Self.kept))
                ended.append(outcome.ended)
                verdict.calls.append(JudgedCall(call: CallDocument(outcome.ended), failure: outcome.failure))
                isOver = outcome.report.end?.reason == .localHangup
                if outcome.report.timeline.instant(of: .connected) != nil { pause = .seconds(1) }
            } catch {
                let failure = Failure(error)
                verdict.failure = failure
                // A first session that cannot even begin never will.
                isOver = failure.status == .usage || ended.isEmpty
                if session.reconnect, !isOver { Output.error("\(failure.line); trying again") }
            }
            guard session.reconnect, !isOver, (try? await Task.sleep(for: pause)) != nil else { break }
            pause = min(pause * 2, .seconds(30))
        } while !Task.isCancelled
        if let failure = await agent.close() { verdict.failure = failure }
        try verdict.conclude(CallsDocument(ended), expectations, output)
    }

    private func attend(in prepared: AgentSession) async throws(CallError) -> CallOutcome {
        let call = try await prepared.agent.call(
            serverName, media: media, sends: Self.role == .publisher ? MediaState() : .nothing, output: true)
        let attendance = CallAttendance(
            output: output, source: sources, sink: sinks, script: script,
            network: prepared.configuration.media.network)
        return await attendance.attend(call) { [duration = session.duration] in
            guard let limit = duration.duration, (try? await call.waitUntilConnected()) != nil else { return }
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            await call.hangUp()
        }
    }

    /// The name of the server in reports: its host.
    private var serverName: String {
        guard let host = try? HTTPURL(url).host, SignalingLimits.isName(host), host != Self.name else {
            return "server"
        }
        return host
    }

    private func prepare() async throws -> AgentSession {
        try tokens.check()
        tokens.warnOfPlainToken(to: url, log)
        // A file that cannot be read stays so, however often the server is asked.
        do { _ = try TrustedRoots.context(file: tokens.trustRoots) } catch { throw Failure(.prerequisite, error.text) }
        let engine = try await ProgramEngine.start(codecs.pipelines, log)
        let host = (try? HTTPURL(url).host) ?? ""
        var configuration = AgentConfiguration(
            media: try await MediaConfiguration(sources, sinks, codecs, ice, engine: engine, signalingHost: host))
        switch Self.role {
        case .publisher:
            configuration.media.direction = .sendonly
            configuration.media.sendsAudioLevel = true
        case .player: configuration.media.receiveOnly()
        }
        configuration.media.trustRootsFile = tokens.trustRoots
        configuration.media.emulateNetwork(for: script)
        configuration.timeouts.ringMs = session.requestTimeout.milliseconds
        configuration.timeouts.connectMs = session.connectTimeout.milliseconds
        configuration.statisticsInterval = output.measuringInterval
        let runner = try hooks.runner(trustRoots: tokens.trustRoots, logger: log.logger("hooks"))
        if let runner { configuration.hooks = [runner] }
        let transport = WHIPTransport(
            url: url, role: Self.role, token: tokens.optionProvider, trustRootsFile: tokens.trustRoots,
            // A later answer is waited for, so that the session of a call that was given up is ended, too.
            requestLimit: session.requestTimeout.duration + .seconds(5), logger: log.logger("signaling"))
        let agent = Agent(
            user: Self.name, media: engine, signaling: transport, configuration: configuration,
            logger: log.logger("call-agent"))
        var prepared = AgentSession(
            agent: agent, engine: engine, configuration: configuration, hooks: runner,
            watch: AgentWatch.follow(agent, output))
        do {
            try await signIn(agent)
            prepared.preview = try await sources?.openPreview(engine, logger: log.logger("media"))
        } catch {
            await prepared.close()
            throw error
        }
        return prepared
    }
}

extension MediaServerCommand {
    /// Waits for the server, too, if the user wants that.
    private func signIn(_ agent: Agent) async throws {
        var pause = Duration.seconds(1)
        while true {
            do throws(CallError) {
                return try await agent.prepare()
            } catch {
                let failure = Failure(error)
                guard session.reconnect, !Task.isCancelled, case .signaling(.unreachable) = error else { throw failure }
                Output.error("\(failure.line); trying again in \(pause.components.seconds) s")
                guard (try? await Task.sleep(for: pause)) != nil else { throw failure }
                pause = min(pause * 2, .seconds(30))
            }
        }
    }
}
