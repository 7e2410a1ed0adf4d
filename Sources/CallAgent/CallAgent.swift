internal import FoundationEssentials
public import Logging
public import MediaEngine
public import ServiceLifecycle

/// One user who places and takes calls.
///
/// ``prepare()`` signs in; ``close()`` hangs up and signs out, after which ``prepare()`` is legal again only with a new agent, since a
/// transport is closed for good.
public actor CallAgent {
    /// The user that this agent signs in as.
    public nonisolated let user: String
    /// The calls that come in, ringing.
    ///
    /// One consumer; a call that nobody takes rings until its timeout.
    public nonisolated let incomingCalls: AsyncStream<Call>

    private let provider: any MediaProvider
    private let signaling: any SignalingTransport
    private let configuration: CallAgentConfiguration
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let incoming: AsyncStream<Call>.Continuation
    private let outgoing: AsyncStream<SignalingMessage>.Continuation
    private let messages: AsyncStream<SignalingMessage>
    private let calls: CallRegistry
    private var tasks: [Task<Void, Never>] = []
    private var phase = Phase.idle

    /// How many calls wait for whoever reads ``incomingCalls``; of more, the oldest are forgotten and ring out.
    private static let maximumUnseenCalls = 64

    private enum Phase { case idle, preparing, prepared, closed }

    /// Makes an agent whose media runs on `engine`.
    public init(
        user: String, media engine: MediaEngine, signaling: any SignalingTransport,
        configuration: CallAgentConfiguration = CallAgentConfiguration(),
        logger: Logger = Logger(label: "call-agent")
    ) {
        self.init(
            user: user, provider: EngineMediaProvider(engine: engine, configuration: configuration.media),
            signaling: signaling, configuration: configuration, logger: logger)
    }

    /// Makes an agent on media of the application's own; `sleep` runs the timers, and is replaced in tests of the rules.
    public init(
        user: String, provider: any MediaProvider, signaling: any SignalingTransport,
        configuration: CallAgentConfiguration = CallAgentConfiguration(),
        logger: Logger = Logger(label: "call-agent"),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.user = user
        self.provider = provider
        self.signaling = signaling
        self.configuration = configuration
        self.logger = logger
        self.sleep = sleep
        calls = CallRegistry(limit: configuration.maximumCalls)
        // Invites that nobody takes and their callers cancel must not pile up at an agent that only places calls.
        (incomingCalls, incoming) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(configuration.maximumCalls + Self.maximumUnseenCalls))
        (messages, outgoing) = AsyncStream.makeStream()
    }

    // MARK: For its user

    /// Warms the media up and signs in.
    ///
    /// Legal once; harmless when it was done already.
    ///
    /// - Throws: ``CallError/invalidUser(_:)``, ``CallError/media(_:)``, ``CallError/signaling(_:)``.
    public func prepare() async throws(CallError) {
        guard phase != .prepared else { return }
        guard phase == .idle else { throw .wrongState(operation: "prepare", state: "the agent is \(phase)") }
        guard SignalingLimits.isName(user) else { throw .invalidUser(user) }
        phase = .preparing
        do {
            try await provider.prepare()
            try await signaling.connect(as: user)
        } catch {
            await provider.release()
            if phase == .preparing { phase = .idle }
            throw (error as? MediaSessionError).map { .media($0) } ?? .signaling(error as? SignalingError ?? .closed)
        }
        guard phase == .preparing else {
            // Closed meanwhile: close() found nothing to close yet.
            await signaling.close()
            await provider.release()
            throw .wrongState(operation: "prepare", state: "the agent is \(phase)")
        }
        phase = .prepared
        tasks.append(Task { await self.receiveMessages() })
        tasks.append(Task { await self.sendMessages() })
    }

    /// Calls `peer`; returns when the invite is on its way.
    ///
    /// - Throws: ``CallError/notPrepared``, ``CallError/tooManyCalls(limit:)``, ``CallError/invalidUser(_:)``,
    ///   ``CallError/callsItself(_:)``, ``CallError/noMedia``, ``CallError/media(_:)`` when there is no media for the call, and ``CallError/ended(_:)`` when
    ///   the call ended before its invite was on its way: the offer could not be made, or the task was cancelled.
    public func call(_ peer: String, media: CallMedia = .audioVideo) async throws(CallError) -> Call {
        let start = ContinuousClock.now
        guard phase == .prepared else { throw .notPrepared }
        guard SignalingLimits.isName(peer) else { throw .invalidUser(peer) }
        guard peer != user else { throw .callsItself(user) }
        // Looked at before anything is built; what counts is the registry's own answer.
        guard !calls.isFull else { throw .tooManyCalls(limit: configuration.maximumCalls) }
        let media = CallMedia(
            audio: media.audio && configuration.media.audio != nil,
            video: media.video && configuration.media.video != nil)
        guard media.audio || media.video else { throw .noMedia }
        let machine = CallMachine(role: .caller, media: media, timeouts: configuration.timeouts)
        let call = try await makeCall(id: UUID().uuidString.lowercased(), peer: peer, machine: machine, start: start)
        // Subscribed before it starts, so that nothing is missed.
        let events = call.events
        await call.start()
        for await event in events {
            if case .reached(.offerCreated, _) = event { return call }
        }
        // It ended, or the task was cancelled, which must not leave a call that nobody holds.
        await call.hangUp()
        throw .ended(await call.end ?? CallEnd(reason: .mediaFailed, by: .local))
    }

    /// The calls that have not ended.
    public var activeCalls: [Call] { calls.active }

    /// Hangs up every call, signs out and closes what was opened.
    ///
    /// Idempotent; returns within a bounded time.
    public func close() async {
        guard phase != .closed else { return }
        let wasPrepared = phase == .prepared
        phase = .closed
        incoming.finish()
        for call in calls.active { await call.hangUp() }
        for call in calls.all { await call.waitUntilClosed() }
        outgoing.finish()
        // The farewells go out before the transport closes.
        if wasPrepared { await tasks.last?.value }
        await signaling.close()
        for task in tasks { task.cancel() }
        await provider.release()
    }

    // MARK: Messages

    private func makeCall(
        id: String, peer: String, machine: CallMachine, start: ContinuousClock.Instant
    ) async throws(CallError) -> Call {
        let session: any MediaSession
        do throws(MediaSessionError) {
            session = try await provider.makeSession(label: "\(id.prefix(8))-\(machine.role)", media: machine.media)
        } catch {
            throw .media(error)
        }
        guard phase == .prepared else {
            // Closed meanwhile: close() did not see this call.
            await session.close()
            throw .wrongState(operation: "a call", state: "the agent is \(phase)")
        }
        let outgoing = outgoing
        let surroundings = Call.Surroundings(
            outbox: { outgoing.yield($0) }, registry: calls,
            wallClock: { Date().timeIntervalSince1970 * 1_000 }, sleep: sleep, logger: logger)
        let call = Call(
            id: id, user: user, peer: peer, machine: machine, session: session, start: start, surroundings: surroundings
        )
        guard calls.add(call) else {
            await session.close()
            throw .tooManyCalls(limit: configuration.maximumCalls)
        }
        return call
    }

    /// One after the other, so that their order holds.
    private func sendMessages() async {
        for await message in messages {
            do throws(SignalingError) {
                try await signaling.send(message.encoded(), to: message.to)
            } catch {
                logger.warning("a message was not sent: \(error)")
                await calls.active(message.callId)?.sendFailed(error.description)
            }
        }
    }

    private func receiveMessages() async {
        for await event in signaling.events {
            switch event {
            case .received(let text): await receive(text)
            case .disconnected(let text): logger.warning("signaling was lost: \(text)")
            case .reconnected: logger.info("signaling is back")
            case .clock, .tokenWillExpire, .iceServers: break
            }
        }
    }

    private func receive(_ text: String) async {
        let message: SignalingMessage
        do throws(SignalingError) {
            message = try SignalingMessage(decoding: text)
        } catch {
            logger.warning("dropped a message: \(error)")
            if let answer = SignalingMessage.answer(toUnreadable: text, error, from: user) { outgoing.yield(answer) }
            return
        }
        guard message.to == user else { return logger.debug("dropped a message for \(message.to)") }
        if let call = calls.active(message.callId) {
            guard message.from == call.peer || message.from.isEmpty else {
                return logger.warning("dropped a message of \(message.from) for a call with \(call.peer)")
            }
            await call.receive(message)
        } else if case .invite(let invite) = message.body {
            await receiveInvite(invite, message)
        } else {
            logger.debug("dropped a message for no call of ours")
        }
    }

    private func receiveInvite(_ invite: SignalingMessage.Invite, _ message: SignalingMessage) async {
        let start = ContinuousClock.now
        guard phase == .prepared else { return }
        guard !calls.isFull else { return rejectAsBusy(message) }
        let machine = CallMachine(
            role: .callee, media: invite.media, earlyMedia: configuration.earlyMedia, timeouts: configuration.timeouts)
        do throws(CallError) {
            let call = try await makeCall(id: message.callId, peer: message.from, machine: machine, start: start)
            await call.start(invite: invite)
            incoming.yield(call)
        } catch .tooManyCalls {
            rejectAsBusy(message)
        } catch {
            logger.error("cannot take a call of \(message.from): \(error)")
            let farewell = SignalingMessage.Farewell(code: EndReason.remoteFailed.code, text: "")
            outgoing.yield(message.answer(.reject(farewell)))
        }
    }

    private func rejectAsBusy(_ message: SignalingMessage) {
        let farewell = SignalingMessage.Farewell(code: EndReason.remoteBusy.code, text: "\(user) is busy")
        outgoing.yield(message.answer(.reject(farewell)))
    }
}

extension CallAgent: Service {
    /// Prepares, and stays signed in until graceful shutdown, which closes the agent.
    public func run() async throws {
        try await prepare()
        try? await gracefulShutdown()
        await close()
    }
}

extension SignalingMessage {
    /// An answer to this message that belongs to no call of ours.
    fileprivate func answer(_ body: Body) -> SignalingMessage {
        SignalingMessage(
            id: "r-\(id.prefix(SignalingLimits.nameBytes - 2))", callId: callId, from: to, to: from,
            generation: generation, sentUnixMs: sentUnixMs, body: body)
    }
}
