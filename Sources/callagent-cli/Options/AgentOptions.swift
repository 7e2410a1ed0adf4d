public import ArgumentParser
public import CallAgent
internal import Foundation
internal import Logging
internal import MediaEngine
internal import WebSocketSignaling

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

    @OptionGroup var media: MediaOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard SignalingLimits.isName(user) else { throw ValidationError(CallError.invalidUser(user).description) }
        guard ringTimeout.milliseconds > 0, connectTimeout.milliseconds > 0 else {
            throw ValidationError("a timeout is longer than 0")
        }
        guard ringTimeout.milliseconds <= SignalingLimits.ringTimeoutMs else {
            throw ValidationError("a call may ring for \(SignalingLimits.ringTimeoutMs / 1_000) s at most")
        }
    }

    /// A prepared agent.
    func prepareAgent(maximumCalls: Int = 1) async throws -> CallAgent {
        let engine = try await Engine.start(media.pipelines, logger: output.logger("media"))
        let host = URLComponents(string: signaling)?.host ?? ""
        var configuration = CallAgentConfiguration(
            media: try await media.configuration(engine: engine, signalingHost: host))
        configuration.earlyMedia = earlyMedia
        configuration.timeouts.ringMs = ringTimeout.milliseconds
        configuration.timeouts.connectMs = connectTimeout.milliseconds
        configuration.maximumCalls = maximumCalls
        let transport = WebSocketSignaling(url: signaling, logger: output.logger("signaling"))
        let agent = CallAgent(
            user: user, media: engine, signaling: transport, configuration: configuration,
            logger: output.logger("call-agent"))
        do {
            try await agent.prepare()
        } catch {
            throw Failure(error)
        }
        return agent
    }
}

extension EarlyMediaPolicy: ExpressibleByArgument {}
