internal import CallAgent
internal import Foundation
internal import MediaEngine
internal import WHIPSignaling
internal import WebSocketSignaling

/// The process of a load that has a share of its calls.
///
/// It reports by ``LoadMessage`` lines on its standard output. It places its first call when a line arrives on its standard input, and hangs up
/// when that ends: the process that started it may be gone.
struct LoadWorker: Sendable {
    let command: LoadCommand
    let share: WorkerShare

    /// Runs all calls of this worker; a failure becomes a message and an exit code.
    func run() async {
        let failure: Failure?
        do {
            let agents = try await prepare()
            Self.send(.ready)
            failure = await placeCalls(agents)
            await Task { await agents.close() }.value
        } catch {
            failure = error as? Failure ?? Failure(.prerequisite, "\(error)")
        }
        guard let failure else { return }
        Self.send(.failed(status: failure.status.rawValue, line: failure.line))
        failure.status.leave()
    }

    static func send(_ message: LoadMessage) { Output.event(message) }

    private func placeCalls(_ agents: LoadAgents) async -> Failure? {
        let (starts, stops) = Self.orders()
        return await withTaskGroup(of: Failure?.self) { group in
            group.addTask {
                for await _ in stops {}
                return nil
            }
            group.addTask {
                for await _ in starts { return await LoadGenerator(command, share, agents).run() }
                return nil
            }
            // The calls are over, or nobody wants them any more. Those that are up then end in order.
            let first = await group.next() ?? nil
            group.cancelAll()
            return await group.reduce(first) { $0 ?? $1 }
        }
    }

    /// A first stream with the order to begin, and a second one that ends when the standard input does.
    private static func orders() -> (starts: AsyncStream<Void>, stops: AsyncStream<Void>) {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        // A thread of its own, since reading blocks. It does not use stdin, whose lock would make the program's end wait.
        Thread.detachNewThread {
            let input = FileHandle.standardInput
            if !input.availableData.isEmpty { start.yield() }
            start.finish()
            while !input.availableData.isEmpty {}
            stop.finish()
            // Nobody waits for a worker that cannot hang up.
            Task {
                try? await Task.sleep(for: LoadProcess.patience)
                ExitStatus.prerequisite.leave()
            }
        }
        return (starts, stops)
    }

    // MARK: Agents

    private func prepare() async throws -> LoadAgents {
        let engine = try await ProgramEngine.start(command.codecs.pipelines, command.log)
        let calls = share.part(of: command.load.calls)
        OpenFiles.raiseLimit(for: calls * Self.filesPerCall)
        let caller = try await agent(
            command.pair ? "caller-\(share.index + 1)" : command.agent.user, engine, calls,
            JoinAhead(media: command.callMedia))
        let callee =
            command.pair
            ? try await agent("callee-\(share.index + 1)", engine, calls, JoinAhead(roles: [.callee])) : nil
        let agents = LoadAgents(caller: caller, callee: callee)
        do throws(CallError) {
            try await caller.prepare()
            try await callee?.prepare()
        } catch {
            await agents.close()
            throw Failure(error)
        }
        return agents
    }

    /// Both ends of a call have sockets for each address, and descriptors for their loops and timers.
    private static let filesPerCall = 64

    private func agent(_ user: String, _ engine: Engine, _ calls: Int, _ ahead: JoinAhead) async throws -> Agent {
        // A call that has ended at one end may still end at the other.
        let capacity = 2 * calls + 8
        var configuration = try await command.agentConfiguration(engine, maximumCalls: capacity, ahead: ahead)
        if command.pair { configuration.media.mark() }
        // Decoding costs more than all the rest of an end.
        if command.codecs.decode == nil { configuration.media.decoding = .sampled }
        configuration.statisticsInterval = LoadGauge.interval
        configuration.keptReports = capacity
        if let endpoint = command.endpoint {
            configuration.media.receiveOnly()
            let server = WHIPTransport(
                url: endpoint, role: .player, token: command.tokens.optionProvider,
                trustRootsFile: command.tokens.trustRoots,
                requestLimit: command.agent.ringTimeout.duration + .seconds(5),
                logger: command.log.logger("signaling"))
            return Agent(
                user: "viewer-\(share.index + 1)", media: engine, signaling: server, configuration: configuration,
                logger: command.log.logger("viewer"))
        }
        // The workers are devices of one user.
        let device = command.identity.device ?? "load"
        let transport = command.tokens.transport(
            url: command.agent.signalingURL,
            device: command.pair ? command.identity.device : "\(device)-\(share.index + 1)",
            logger: command.log.logger("signaling"))
        return Agent(
            user: user, media: engine, signaling: transport, configuration: configuration,
            logger: command.log.logger(user))
    }
}

/// The agents of a worker.
struct LoadAgents: Sendable {
    let caller: Agent
    /// Nil if the callees are not of this load.
    let callee: Agent?

    func close() async {
        await caller.close()
        await callee?.close()
    }
}
