internal import CallAgent
internal import Logging
internal import MediaEngine
internal import RoomClient
internal import WHIPSignaling

/// The broadcast of a command: keeps a connection to the media server or the room, until it is closed.
final class BroadcastRun: Sendable {
    let broadcast: Broadcast
    private let work: Task<Void, Never>
    private let reporting: Task<Void, Never>

    /// How the broadcast is made.
    struct Plan: Sendable {
        let target: BroadcastOptions.Target
        /// The name of this end in a room.
        let name: String
        /// As for the calls of the command.
        let media: MediaConfiguration
        /// Returns the token of the server; nil: it wants none.
        let token: (@Sendable () async throws -> String)?
        let pin: String?
        let trustRootsFile: String?
    }

    /// Begins; it connects in the background, again whenever that fails.
    init(
        _ plan: Plan, pausedAs pauseVideo: Broadcast.PauseVideo, engine: Engine, output: OutputOptions, logger: Logger
    ) {
        let broadcast = Broadcast(of: plan.media.video, pausedAs: pauseVideo)
        self.broadcast = broadcast
        work = Task { await Self.run(plan, broadcast, engine, output, logger) }
        reporting = Task {
            for await isPaused in broadcast.pauses {
                report(isPaused ? "broadcastPaused" : "broadcastResumed", plan.name, nil, output)
            }
        }
    }

    /// Ends the broadcast, within a bounded time.
    func close() async {
        work.cancel()
        reporting.cancel()
        await work.value
    }

    private static func run(
        _ plan: Plan, _ broadcast: Broadcast, _ engine: Engine, _ output: OutputOptions, _ logger: Logger
    ) async {
        var settings = AgentConfiguration(media: plan.media)
        settings.media.outputs = OutputConfiguration()
        settings.keptReports = 0
        switch plan.target {
        case .mediaServer(let url):
            settings.media.direction = .sendonly
            let transport = WHIPTransport(
                url: url, role: .publisher, token: plan.token, trustRootsFile: plan.trustRootsFile, logger: logger)
            let agent = Agent(
                user: "broadcast", media: engine, signaling: transport, configuration: settings, logger: logger)
            await publish(as: agent, plan, broadcast, output)
            await Task { await agent.close() }.value
        case .room(let name, let server):
            var pause = Duration.seconds(1)
            while !Task.isCancelled {
                await visit(name, server, plan, broadcast, engine, settings, output, logger)
                guard (try? await Task.sleep(for: pause)) != nil else { return }
                pause = min(pause * 2, .seconds(30))
            }
        }
    }

    /// Has one session after the other at a media server.
    private static func publish(
        as agent: Agent, _ plan: Plan, _ broadcast: Broadcast, _ output: OutputOptions
    ) async {
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            do throws(CallError) {
                try await agent.prepare()
                let call = try await agent.call(
                    "server", media: CallMedia(audio: plan.media.audio != nil, video: plan.media.video != nil))
                await broadcast.use(call)
                let following = Task { await follow(call, plan, output) }
                let end = await withTaskCancellationHandler {
                    await call.waitUntilEnded()
                } onCancel: {
                    Task { await call.hangUp() }
                }
                following.cancel()
                if await call.report().timeline.instant(of: .connected) != nil { pause = .seconds(1) }
                if !Task.isCancelled { report("broadcastLost", plan.name, end.text, output) }
            } catch {
                if !Task.isCancelled { report("broadcastLost", plan.name, Failure(error).line, output) }
            }
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            pause = min(pause * 2, .seconds(30))
        }
    }

    /// Is in the room until that is over for this end.
    private static func visit(
        _ name: String, _ server: String, _ plan: Plan, _ broadcast: Broadcast, _ engine: Engine,
        _ settings: AgentConfiguration, _ output: OutputOptions, _ logger: Logger
    ) async {
        var configuration = RoomConfiguration(
            settings, publishes: CallMedia(audio: plan.media.audio != nil, video: plan.media.video != nil))
        configuration.receives = { _ in false }
        do {
            let janus = try JanusEngine(
                url: server, token: plan.token, trustRootsFile: plan.trustRootsFile, logger: logger)
            let room = try Room(
                name, as: plan.name, on: janus, pin: plan.pin, media: engine, configuration: configuration,
                logger: logger)
            let events = room.events
            await withTaskCancellationHandler {
                do throws(RoomError) {
                    try await room.join()
                    for await event in events { await follow(event, plan, broadcast, output) }
                } catch {
                    report("broadcastLost", plan.name, error.description, output)
                }
                await Task { await room.leave() }.value
            } onCancel: {
                Task { await room.leave() }
            }
        } catch {
            report("broadcastLost", plan.name, "\(error)", output)
        }
    }

    private static func follow(
        _ event: RoomEvent, _ plan: Plan, _ broadcast: Broadcast, _ output: OutputOptions
    ) async {
        switch event {
        case .publishing(let call):
            await broadcast.use(call)
            Task { await follow(call, plan, output) }
        case .notPublished(let text), .lost(let text): report("broadcastLost", plan.name, text, output)
        case .ended(let error): report("broadcastLost", plan.name, error.description, output)
        default: break
        }
    }

    /// Says when the broadcast is on.
    private static func follow(_ call: Call, _ plan: Plan, _ output: OutputOptions) async {
        guard (try? await call.waitUntilConnected()) != nil else { return }
        report("broadcasting", plan.name, nil, output)
    }
}

/// Prints what becomes of a broadcast.
private func report(_ event: String, _ user: String, _ text: String?, _ output: OutputOptions) {
    if output.events {
        Output.event(EventDocument(event, of: user, text: text))
    } else if !output.json {
        let words =
            switch event {
            case "broadcasting": "the broadcast is on"
            case "broadcastPaused": "the broadcast is paused"
            case "broadcastResumed": "the broadcast goes on"
            default: "the broadcast is off: \((text ?? "").printable); trying again"
            }
        Output.line(words)
    }
}
