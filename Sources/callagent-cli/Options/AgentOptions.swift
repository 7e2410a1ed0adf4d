public import ArgumentParser
public import CallAgent
internal import Foundation
internal import Logging
internal import MediaEngine

/// Who a command is, where it signs in, and what its calls are like.
struct AgentOptions: ParsableArguments {
    @Option(name: .customLong("as"), help: ArgumentHelp("The user to sign in as.", valueName: "user"))
    var user: String

    @Option(help: ArgumentHelp("The signaling server.", valueName: "url"))
    var signaling = "ws://127.0.0.1:8080"

    @Option(help: ArgumentHelp("What happens while a call rings here.", valueName: "full|guarded|off"))
    var earlyMedia: EarlyMediaPolicy = .guarded

    @Option(help: ArgumentHelp("How long a call may ring.", valueName: "2s|500ms"))
    var ringTimeout = DurationArgument(.seconds(30))

    @Option(help: ArgumentHelp("How long an accepted call may be without media.", valueName: "2s|500ms"))
    var connectTimeout = DurationArgument(.seconds(10))

    @Option(
        help: ArgumentHelp(
            "How long an accepted call waits for its pictures once its sound is there, before it is connected by sound alone. "
                + "Default: until --connect-timeout.",
            valueName: "2s|500ms"))
    var audioGrace: DurationArgument?

    @Flag(
        help: ArgumentHelp(
            "Build the own end of the next call before there is one; devices and sockets are open meanwhile."
        ))
    var joinAhead = false

    @OptionGroup var identity: IdentityOptions
    @OptionGroup var media: MediaOptions
    @OptionGroup var hooks: HookOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var config: ConfigOptions

    func validate() throws {
        guard SignalingLimits.isName(user) else { throw ValidationError(CallError.invalidUser(user).description) }
        guard ringTimeout.milliseconds > 0, connectTimeout.milliseconds > 0 else {
            throw ValidationError("a timeout is longer than 0")
        }
        guard !joinAhead || media.record == nil else {
            throw ValidationError("--join-ahead builds what may never be used, so it cannot be used with --record")
        }
        guard ringTimeout.milliseconds <= SignalingLimits.ringTimeoutMs else {
            throw ValidationError("a call may ring for \(SignalingLimits.ringTimeoutMs / 1_000) s at most")
        }
    }

    /// Says aloud what the library logs as a warning, which is not shown unless that was asked for.
    private func warnOfPlainToken(to host: String) {
        guard identity.hasToken, !LocalAddresses.isLoopback(host), output.log.logLevel.loggerLevel > .warning,
            URLComponents(string: signaling)?.scheme?.lowercased() == "ws"
        else { return }
        Output.error("warning: the token goes to \(host) unencrypted; use wss://")
    }

    /// A prepared agent, whose events are told.
    ///
    /// `ahead` is built when the user wants that; `screen` decides about calls that come in.
    func prepareAgent(
        maximumCalls: Int = 1, ahead: JoinAhead, screen: (@Sendable (IncomingInvite) async -> InviteDecision)? = nil
    ) async throws -> AgentSession {
        if let tokenFile = identity.tokenFile { _ = try TokenFile.read(tokenFile) }
        let engine = try await Engine.start(media.pipelines, output.log)
        let host = URLComponents(string: signaling)?.host ?? ""
        warnOfPlainToken(to: host)
        var configuration = CallAgentConfiguration(
            media: try await media.configuration(engine: engine, signalingHost: host))
        configuration.media.trustRootsFile = identity.trustRoots
        configuration.earlyMedia = earlyMedia
        configuration.timeouts.ringMs = ringTimeout.milliseconds
        configuration.timeouts.connectMs = connectTimeout.milliseconds
        configuration.timeouts.audioGraceMs = audioGrace?.milliseconds
        configuration.maximumCalls = maximumCalls
        if joinAhead { configuration.joinsAhead = ahead }
        configuration.screenInvite = screen
        configuration.statisticsInterval = output.statsInterval?.duration
        (configuration.displayName, configuration.address) = (identity.displayName, identity.address)
        configuration.extensionData = identity.extensionTable
        let runner = try hooks.runner(trustRoots: identity.trustRoots, logger: output.logger("hooks"))
        if let runner { configuration.hooks = [runner] }
        let (identity, url, logger) = (identity, signaling, output.logger("signaling"))
        let agent = CallAgent(
            user: user, media: engine, signaling: identity.transport(url: url, logger: logger),
            configuration: configuration, logger: output.logger("call-agent"))
        let watch = AgentWatch.follow(agent, output, tokenFile: identity.tokenFile)
        var session = AgentSession(agent: agent, hooks: runner, watch: watch)
        do throws(CallError) {
            try await agent.prepare()
        } catch {
            await session.close()
            throw Failure(error)
        }
        do {
            session.preview = try await media.openPreview(engine, logger: output.logger("media"))
        } catch {
            await session.close()
            throw error
        }
        return session
    }
}

extension EarlyMediaPolicy: ExpressibleByArgument {}
