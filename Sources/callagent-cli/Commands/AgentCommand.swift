internal import ArgumentParser
internal import CallAgent
internal import Foundation
internal import Logging
internal import MediaEngine

/// A command that signs in and has calls.
///
/// Its groups of options stand side by side: in debug builds the argument parser's checks take five times as long for
/// each level of nesting.
protocol AgentCommand: AsyncParsableCommand, ShortHelpCommand {
    var agent: AgentOptions { get }
    var tokens: TokenOptions { get }
    var identity: IdentityOptions { get }
    var source: SourceOptions { get }
    var additionalVideos: AdditionalVideoOptions { get }
    var sink: SinkOptions { get }
    var codecs: CodecOptions { get }
    var ice: IceOptions { get }
    var start: StartOptions { get }
    var script: ScriptOptions { get }
    var output: OutputOptions { get }
    var log: LogOptions { get }
    var expectations: ExpectOptions { get }

    /// The URL of the server that calls are set up with.
    var serverURL: String { get }

    /// The user of the agent.
    var user: String { get }

    /// The device of the user.
    var device: DeviceName { get }

    /// Whether calls send numbered messages in a data channel.
    var sendsMessages: Bool { get }

    /// The document that expectations are about.
    var document: Figures.Document { get }
}

extension AgentCommand {
    var serverURL: String { agent.signalingURL }

    var user: String { agent.user }

    var device: DeviceName { DeviceName(name: identity.device) }

    var document: Figures.Document { .calls }

    var sendsMessages: Bool { false }

    /// What the options of several groups mean together.
    func validateTogether() throws {
        try expectations.checkFigures(in: document)
        guard !agent.joinAhead || sink.record == nil else {
            throw ValidationError("--join-ahead builds what may never be used, so it cannot be used with --record")
        }
    }

    func attendance(
        in session: AgentSession, _ transfers: CallTransfers?, isBrief: Bool = false
    ) -> CallAttendance {
        CallAttendance(
            output: output, source: source, sink: sink, script: script, network: session.configuration.media.network,
            transfers: transfers, sendsMessages: sendsMessages, isBrief: isBrief)
    }

    /// The configuration of an agent as the options ask, with every check that is possible before a call.
    func agentConfiguration(
        _ engine: Engine, maximumCalls: Int, ahead: JoinAhead
    ) async throws -> AgentConfiguration {
        let host = ServerHost.of(serverURL)
        tokens.warnOfPlainToken(to: serverURL, log)
        var configuration = AgentConfiguration(
            media: try await MediaConfiguration(source, sink, codecs, ice, engine: engine, signalingHost: host))
        do {
            try await additionalVideos.apply(to: &configuration.media, engine: engine)
        } catch let error as MediaError {
            throw Failure(error)
        }
        configuration.media.allowsDataChannels = sendsMessages
        configuration.media.trustRootsFile = tokens.trustRoots
        configuration.media.emulateNetwork(for: script)
        configuration.earlyMedia = agent.earlyMedia
        configuration.timeouts.ringMs = agent.ringTimeout.milliseconds
        configuration.timeouts.connectMs = agent.connectTimeout.milliseconds
        configuration.timeouts.audioGraceMs = agent.audioGrace?.milliseconds
        configuration.maximumCalls = maximumCalls
        if agent.joinAhead { configuration.joinsAhead = ahead }
        configuration.statisticsInterval = output.measuringInterval
        (configuration.displayName, configuration.address) = (identity.displayName, identity.address)
        configuration.extensionData = identity.extensionTable
        return configuration
    }

    /// A prepared agent, whose events are printed.
    ///
    /// `ahead` is built when the user wants that; `screen` decides about calls that come in. `endpoint` takes the place of a signaling server.
    func prepareAgent(
        maximumCalls: Int = 1, ahead: JoinAhead, hooks: HookOptions, endpoint: EndpointOptions? = nil,
        screen: (@Sendable (IncomingInvite) async -> InviteDecision)? = nil
    ) async throws -> AgentSession {
        try tokens.check()
        let engine = try await ProgramEngine.start(codecs.pipelines, log)
        var configuration = try await agentConfiguration(engine, maximumCalls: maximumCalls, ahead: ahead)
        configuration.screenInvite = screen
        let runner = try hooks.runner(trustRoots: tokens.trustRoots, logger: log.logger("hooks"))
        if let runner { configuration.hooks = [runner] }
        let served = try await endpoint?.endpoint(
            for: user, ringing: agent.ringTimeout.duration, iceServers: configuration.media.iceServers,
            logger: log.logger("signaling"))
        // A client cannot answer checks before it has the response to its offer.
        if served != nil { configuration.earlyMedia = .off }
        let transport: any SignalingTransport =
            served
            ?? tokens.transport(
                url: agent.signalingURL, device: device.name, isInPool: device.isInPool,
                logger: log.logger("signaling"))
        let callAgent = Agent(
            user: user, media: engine, signaling: transport,
            configuration: configuration, logger: log.logger("call-agent"))
        let watch = AgentWatch.follow(callAgent, output)
        var session = AgentSession(
            agent: callAgent, engine: engine, configuration: configuration, hooks: runner, watch: watch)
        session.endpoint = served
        do throws(CallError) {
            try await callAgent.prepare()
        } catch {
            await session.close()
            throw Failure(error)
        }
        do {
            session.preview = try await source.openPreview(engine, logger: log.logger("media"))
        } catch {
            await session.close()
            throw error
        }
        return session
    }
}
