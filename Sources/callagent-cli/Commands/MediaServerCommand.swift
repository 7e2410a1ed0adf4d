internal import ArgumentParser
internal import CallAgent
internal import HTTPClient
internal import MediaEngine
internal import WHIPSignaling

/// A command that has one session on a media server: it sends media there (WHIP), or receives media from there (WHEP).
///
/// The session is a call whose callee is the server, so it has the events, figures and exit codes of a call.
protocol MediaServerCommand: AsyncParsableCommand, ShortHelpCommand, Sendable {
    static var role: WHIPTransport.Role { get }
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

    /// Checks the URL, and what the options of several groups mean together.
    func validate() throws {
        try expectations.checkFigures(in: .calls)
        try script.check(against: session.duration)
        do {
            _ = try HTTPURL(url)
        } catch {
            let advice = "give the URL of the server's endpoint, such as https://example.org/\(Self.role.endpoint)/room"
            throw ValidationError("'\(url)' is no http:// or https:// URL without a password; \(advice)")
        }
    }

    func run() async throws {
        let command = self
        try await Interruption.handled { try await command.hold() }
    }

    /// Has the session, and judges it.
    private func hold() async throws {
        let session = try await Verdict.preparing(Self.name, expectations) { try await prepare() }
        var verdict = Verdict(command: Self.name)
        var reports: [CallReport] = []
        do throws(CallError) {
            let outcome = try await attend(session.agent)
            reports.append(outcome.report)
            verdict.calls.append(JudgedCall(call: CallDocument(outcome.report), failure: outcome.failure))
        } catch {
            verdict.failure = Failure(error)
        }
        if let failure = await session.close() { verdict.failure = failure }
        try verdict.conclude(CallsDocument(reports), expectations, output)
    }

    private func attend(_ agent: Agent) async throws(CallError) -> CallOutcome {
        let isSending = Self.role == .publisher
        let call = try await agent.call(
            serverName, media: media,
            sends: isSending ? MediaState() : MediaState(audio: .off, video: .off), output: true)
        let attendance = CallAttendance(output: output, source: sources, sink: sinks, script: script)
        return await attendance.attend(call) { [duration = session.duration] in
            guard let limit = duration.duration, (try? await call.waitUntilConnected()) != nil else { return }
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            await call.hangUp()
        }
    }

    /// The name of the server in reports: its host.
    private var serverName: String {
        guard let host = try? HTTPURL(url).host, SignalingLimits.isName(host) else { return "server" }
        return host
    }

    private func prepare() async throws -> AgentSession {
        try tokens.check()
        tokens.warnOfPlainToken(to: url, log)
        let engine = try await ProgramEngine.start(codecs.pipelines, log)
        let host = (try? HTTPURL(url).host) ?? ""
        var configuration = AgentConfiguration(
            media: try await MediaConfiguration(sources, sinks, codecs, ice, engine: engine, signalingHost: host))
        configuration.media.direction = Self.role == .publisher ? .sendonly : .recvonly
        if Self.role == .player {
            // Never opened, since nothing is sent; but without a source a call has no medium of its kind.
            (configuration.media.video, configuration.media.audio) = (.test(), .silence)
        }
        configuration.media.trustRootsFile = tokens.trustRoots
        configuration.timeouts.ringMs = session.requestTimeout.milliseconds
        configuration.timeouts.connectMs = session.connectTimeout.milliseconds
        configuration.statisticsInterval = output.measuringInterval
        let runner = try hooks.runner(trustRoots: tokens.trustRoots, logger: log.logger("hooks"))
        if let runner { configuration.hooks = [runner] }
        let transport = WHIPTransport(
            url: url, role: Self.role, token: tokens.provider, trustRootsFile: tokens.trustRoots,
            requestLimit: session.requestTimeout.duration, logger: log.logger("signaling"))
        let agent = Agent(
            user: Self.name, media: engine, signaling: transport, configuration: configuration,
            logger: log.logger("call-agent"))
        var prepared = AgentSession(
            agent: agent, hooks: runner, watch: AgentWatch.follow(agent, output, tokenFile: nil))
        do {
            do throws(CallError) { try await agent.prepare() } catch { throw Failure(error) }
            prepared.preview = try await sources?.openPreview(engine, logger: log.logger("media"))
        } catch {
            await prepared.close()
            throw error
        }
        return prepared
    }
}

extension WHIPTransport.Role {
    /// The usual name of an endpoint.
    fileprivate var endpoint: String { self == .publisher ? "whip" : "whep" }
}
