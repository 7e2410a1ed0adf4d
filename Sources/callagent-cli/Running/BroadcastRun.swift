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
        let connecting = Connecting(
            plan: plan, broadcast: broadcast, engine: engine, output: output, logger: logger)
        work = Task { await connecting.run() }
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
}

/// Keeps a broadcast connected: one connection after the other, until its task is cancelled.
private struct Connecting {
    let plan: BroadcastRun.Plan
    let broadcast: Broadcast
    let engine: Engine
    let output: OutputOptions
    let logger: Logger

    private var media: CallMedia { CallMedia(audio: plan.media.audio != nil, video: plan.media.video != nil) }

    private var settings: AgentConfiguration {
        var settings = AgentConfiguration(media: plan.media)
        settings.media.outputs = OutputConfiguration()
        settings.keptReports = 0
        return settings
    }

    func run() async {
        switch plan.target {
        case .mediaServer(let url):
            var settings = settings
            settings.media.direction = .sendonly
            let transport = WHIPTransport(
                url: url, role: .publisher, token: plan.token, trustRootsFile: plan.trustRootsFile, logger: logger)
            let agent = Agent(
                user: "broadcast", media: engine, signaling: transport, configuration: settings, logger: logger)
            await again { await publish(as: agent) }
            await Task { await agent.close() }.value
        case .room(let name, let server): await again { await visit(name, at: server) }
        }
    }

    /// Connects after 1 s to 30 s again and again; `connect` says whether it worked for a while.
    private func again(_ connect: () async -> Bool) async {
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            if await connect() { pause = .seconds(1) }
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            pause = min(pause * 2, .seconds(30))
        }
    }

    /// Has one session at a media server.
    private func publish(as agent: Agent) async -> Bool {
        do throws(CallError) {
            try await agent.prepare()
            let call = try await agent.call("server", media: media)
            await broadcast.use(call)
            let following = Task { await follow(call) }
            let end = await withTaskCancellationHandler {
                await call.waitUntilEnded()
            } onCancel: {
                Task { await call.hangUp() }
            }
            following.cancel()
            if !Task.isCancelled { lost(end.text) }
            return await call.report().timeline.instant(of: .connected) != nil
        } catch {
            if !Task.isCancelled { lost(Failure(error).line) }
            return false
        }
    }

    /// Is in the room until that is over for this end.
    private func visit(_ name: String, at server: String) async -> Bool {
        var configuration = RoomConfiguration(settings, publishes: media)
        configuration.receives = { _ in false }
        do throws(RoomError) {
            let janus = try JanusEngine(
                url: server, token: plan.token, trustRootsFile: plan.trustRootsFile, logger: logger)
            let room = try Room(
                name, as: plan.name, on: janus, pin: plan.pin, media: engine, configuration: configuration,
                logger: logger)
            let events = room.events
            let error = await withTaskCancellationHandler { () -> RoomError? in
                do throws(RoomError) { try await room.join() } catch { return error }
                for await event in events { await follow(event) }
                return nil
            } onCancel: {
                Task { await room.leave() }
            }
            await Task { await room.leave() }.value
            if let error { throw error }
            return true
        } catch {
            lost(error.description)
            return false
        }
    }

    private func follow(_ event: RoomEvent) async {
        switch event {
        case .publishing(let call):
            await broadcast.use(call)
            Task { await follow(call) }
        case .notPublished(let text), .lost(let text): lost(text)
        case .ended(let error): lost(error.description)
        default: break
        }
    }

    /// Says when the broadcast is on.
    private func follow(_ call: Call) async {
        guard (try? await call.waitUntilConnected()) != nil else { return }
        report("broadcasting", plan.name, nil, output)
    }

    private func lost(_ text: String) { report("broadcastLost", plan.name, text, output) }
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
