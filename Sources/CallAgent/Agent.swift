// An application that imports this library also gets the messages of the protocol.
@_exported public import CallProtocol
internal import FoundationEssentials
public import Logging
public import MediaEngine
public import ServiceLifecycle

/// One user that places and receives calls.
///
/// ``prepare()`` signs in. ``release()`` hangs up and signs out; ``prepare()`` may follow if a new transport can be made. ``close()`` is final.
public actor Agent {
    /// The user that this agent signs in as.
    public nonisolated let user: String
    /// Incoming calls, which ring.
    ///
    /// For one consumer. An unanswered call rings until its timeout.
    public nonisolated let incomingCalls: AsyncStream<Call>

    let provider: any MediaProvider
    let makeTransport: @Sendable () -> any SignalingTransport
    let configuration: AgentConfiguration
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void
    let incoming: AsyncStream<Call>.Continuation
    let calls: CallRegistry
    let hub = EventHub<AgentEvent>()
    let reports: ReportShelf
    /// The signaling of the current sign-in.
    var line: SignalingLine?
    var tasks: [Task<Void, Never>] = []
    /// The invites that do not ring yet.
    var pendingInvites: [CallKey: PendingInvite] = [:]
    private(set) var phase = AgentState.idle
    /// Whether ``stopTakingCalls()`` was called.
    private(set) var takesNoCalls = false
    /// Makes a new sign-in wait until signing out is complete.
    private let turn = Turn()
    /// The number of attempts to prepare.
    private var attempts = 0

    /// How many calls wait for the reader of ``incomingCalls``; beyond that, the oldest are dropped and ring until their timeout.
    private static let maximumUnseenCalls = 64

    /// Makes an agent whose media runs on `engine`.
    ///
    /// The expression for `signaling` makes the transport of each sign-in: ``prepare()`` evaluates it. It may also be a transport
    /// that the application has made and signed in itself; that one serves for one sign-in.
    public init(
        user: String, media engine: Engine,
        signaling: @autoclosure @escaping @Sendable () -> any SignalingTransport,
        configuration: AgentConfiguration = AgentConfiguration(),
        logger: Logger = Logger(label: "call-agent")
    ) {
        self.init(
            user: user, provider: EngineMediaProvider(engine: engine, configuration: configuration.media),
            signaling: signaling(), configuration: configuration, logger: logger)
    }

    /// Makes an agent with the application's own media; `sleep` runs the timers and is replaced in tests of the rules.
    public init(
        user: String, provider: any MediaProvider,
        signaling: @autoclosure @escaping @Sendable () -> any SignalingTransport,
        configuration: AgentConfiguration = AgentConfiguration(),
        logger: Logger = Logger(label: "call-agent"),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.user = user
        if var plan = configuration.joinsAhead, configuration.media.allowsSessionsAhead {
            plan.media.data = configuration.media.allowsDataChannels
            self.provider = AheadMediaProvider(provider, plan, sleep: sleep)
        } else {
            self.provider = provider
        }
        makeTransport = signaling
        self.configuration = configuration
        self.logger = logger
        self.sleep = sleep
        // prepare() refuses to sign in with values out of bounds.
        let limit = min(max(configuration.maximumCalls, 1), AgentConfiguration.largestMaximumCalls)
        calls = CallRegistry(limit: limit)
        reports = ReportShelf(capacity: max(configuration.keptReports, 0))
        // Cancelled invites that nobody has read must not pile up at an agent that only places calls.
        (incomingCalls, incoming) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(limit + Self.maximumUnseenCalls))
        hub.yield(.stateChanged(AgentStateChange(state: .idle, reason: .created, by: .local)))
    }

    // MARK: State

    /// The state of the agent.
    public var state: AgentState { phase }

    /// Events from now on, beginning with the current state; ends with ``close()``.
    ///
    /// Every access returns a new stream.
    public nonisolated var events: AsyncStream<AgentEvent> { hub.subscribe() }

    /// The calls that have not ended.
    public nonisolated var activeCalls: [Call] { calls.active }

    /// The report of a running or ended call; nil when the id is unknown or the report is no longer kept.
    public func report(callId: String) async -> CallReport? {
        if let call = calls.call(callId) { return await call.report() }
        return reports.report(callId)
    }

    /// The reports of ended calls, the oldest first.
    public nonisolated var endedCalls: [CallReport] { reports.all }

    // MARK: Signing in and out

    /// Warms the media up and signs in.
    ///
    /// Does nothing when the agent is already prepared. Waits for a ``release()`` in progress.
    ///
    /// - Throws: ``CallError/invalidUser(_:)``, ``CallError/invalidConfiguration(_:)``, ``CallError/invalidExtension(_:)``,
    ///   ``CallError/media(_:)``, ``CallError/signaling(_:)``, and ``CallError/wrongState(operation:state:)`` while there is a call
    ///   (the call continues), when ``release()`` or ``close()`` was called meanwhile, and after ``close()``.
    public func prepare() async throws(CallError) {
        let attempt = try await beginAttempt()
        guard let attempt else { return }
        let line = SignalingLine(
            makeTransport(), user: user, timing: configuration.delivery, sleep: sleep, logger: logger)
        do {
            try await provider.prepare()
            let servers = try await line.connect()
            if !servers.isEmpty { await provider.use(servers) }
            await provider.buildAhead()
        } catch {
            if attempt == attempts { await provider.release() }
            let (media, signaling) = (error as? MediaSessionError, error as? SignalingError)
            let failure: CallError = media.map { .media($0) } ?? .signaling(signaling ?? .closed)
            if isUnderWay(attempt) { enter(.failed, .failed(failure), by: media == nil ? .server : .local) }
            throw failure
        }
        guard isUnderWay(attempt) else {
            // release() or close() was called meanwhile and had nothing to close yet. What another attempt has prepared is not touched.
            await line.close()
            if attempt == attempts { await provider.release() }
            throw .wrongState(operation: "prepare", state: "the agent is \(phase)")
        }
        self.line = line
        enter(.prepared, .signedIn, by: .server)
        tasks.append(Task { await self.audit() })
        tasks.append(Task { [provider] in for await _ in provider.networkChanges { line.checkConnection() } })
        await line.begin { [weak self, weak line] event in
            guard let self, let line else { return }
            await self.take(event, line)
        }
    }

    /// Begins to prepare, after a ``release()`` in progress is complete.
    ///
    /// - Returns: The number of the attempt; nil when the agent is prepared.
    private func beginAttempt() async throws(CallError) -> Int? {
        await turn.begin()
        defer { turn.end() }
        guard calls.active.isEmpty else { throw .wrongState(operation: "prepare", state: "there is a call") }
        guard phase != .prepared else { return nil }
        guard phase == .idle || phase == .failed else {
            throw .wrongState(operation: "prepare", state: "the agent is \(phase)")
        }
        guard SignalingLimits.isName(user) else { throw .invalidUser(user) }
        try configuration.check()
        enter(.preparing, .prepare)
        attempts += 1
        // Close what is left of a sign-in that another program replaced.
        await closeLine()
        return attempts
    }

    /// Whether the attempt is still the current one.
    private func isUnderWay(_ attempt: Int) -> Bool { phase == .preparing && attempt == attempts }

    /// Signaling has ended and does not reconnect: another program replaced this one.
    func signalingEnded(_ error: SignalingError) {
        logger.error("signaling ended: \(error)")
        guard phase == .prepared else { return }
        forgetPendingInvites()
        let reason: AgentChangeReason = if case .replaced = error { .replaced } else { .failed(.signaling(error)) }
        enter(.failed, reason, by: .server)
    }

    /// Replaces the token of the current sign-in before it expires.
    ///
    /// - Throws: ``CallError/notPrepared``, and ``CallError/signaling(_:)`` when the token is not accepted.
    public func renew(token: String) async throws(CallError) {
        guard let line else { throw .notPrepared }
        do throws(SignalingError) { try await line.renew(token: token) } catch { throw .signaling(error) }
    }

    /// Refuses invites as busy from now on and ends ``incomingCalls``; calls under way continue, and calls can be placed.
    ///
    /// A transport that shares the user's calls among several devices gives this one no more. Final, also after another ``prepare()``. Returns when the
    /// application has decided about all invites that arrived before.
    public func stopTakingCalls() async {
        guard !takesNoCalls, phase != .closed else { return }
        takesNoCalls = true
        await line?.stopTakingCalls()
        for pending in pendingInvites.values { await pending.task?.value }
        incoming.finish()
    }

    /// Hangs up every call, signs out and closes what was opened; ``prepare()`` may follow.
    ///
    /// Returns within a bounded time.
    public func release() async { await leave(.idle, .release) }

    /// Hangs up every call, signs out, closes what was opened and ends ``incomingCalls`` and ``events``.
    ///
    /// Idempotent; returns within a bounded time.
    public func close() async {
        guard phase != .closed else { return }
        await leave(.closed, .close)
        incoming.finish()
        hub.finish()
    }

    private func leave(_ next: AgentState, _ reason: AgentChangeReason) async {
        guard phase != .closed else { return }
        // At once, so that a prepare() in progress ends and no call begins.
        enter(next, reason)
        await turn.begin()
        defer { turn.end() }
        // Another prepare() may have waited before this one.
        if phase != .closed { enter(next, reason) }
        forgetPendingInvites()
        for call in calls.active { await call.hangUp() }
        for call in calls.all { await call.waitUntilClosed() }
        // The farewells go out before the transport closes.
        await closeLine()
        await provider.release()
    }

    private func closeLine() async {
        await line.take()?.close()
        for task in tasks { task.cancel() }
        tasks = []
    }

    private func enter(_ next: AgentState, _ reason: AgentChangeReason, by party: CallParty = .local) {
        guard phase != next else { return }
        phase = next
        hub.yield(.stateChanged(AgentStateChange(state: next, reason: reason, by: party)))
    }

    // MARK: Calling

    /// Calls `peer`; returns when the invite is on its way.
    ///
    /// When a call from `peer` already rings here, it is accepted and returned instead. Without `id` and `room` the call gets
    /// random ones. `sends` is what this end sends at the beginning; the peer is notified. `output` says whether the peer's audio
    /// is played (``Call/setOutput(_:)``). `extension` is sent with the invite.
    ///
    /// - Throws: ``CallError/notPrepared``, ``CallError/tooManyCalls(limit:)``, ``CallError/invalidUser(_:)``,
    ///   ``CallError/invalidCallId(_:)``, ``CallError/callsItself(_:)``, ``CallError/noMedia``, ``CallError/invalidExtension(_:)``,
    ///   ``CallError/media(_:)`` when there is no media for the call or a device cannot be opened, and ``CallError/ended(_:)`` when
    ///   the call ended before its invite was on its way: the offer could not be made, or the task was cancelled.
    public func call(
        _ peer: String, media: CallMedia = .audioVideo, id: String? = nil, room: String? = nil,
        sends: MediaState = MediaState(), output: Bool = true, extension data: [String: String] = [:]
    ) async throws(CallError) -> Call {
        let start = ContinuousClock.now
        guard phase == .prepared, let line else { throw .notPrepared }
        // Before anything is built for a call that cannot be placed.
        try CallError.checkExtension(configuration.extensionData.merging(data) { $1 })
        guard SignalingLimits.isName(peer) else { throw .invalidUser(peer) }
        guard peer != user else { throw .callsItself(user) }
        let callId = id ?? Self.randomName()
        guard SignalingLimits.isName(callId), room.map(SignalingLimits.isName) ?? true else {
            throw .invalidCallId(SignalingLimits.isName(callId) ? room ?? "" : callId)
        }
        if let ringing = await accept(callOf: peer, media, sends, output: output, data) { return ringing }
        // An early check, before anything is built; the registry decides later.
        guard !calls.isFull else { throw .tooManyCalls(limit: configuration.maximumCalls) }
        let media = CallMedia(
            audio: media.audio && configuration.media.audio != nil,
            video: media.video && configuration.media.video != nil, data: configuration.media.allowsDataChannels)
        guard media.audio || media.video else { throw .noMedia }
        let machine = CallMachine(
            role: .caller, media: media, timeouts: configuration.timeouts, device: line.device, sends: sends,
            sourceless: configuration.media.sourceless, allowsData: configuration.media.allowsDataChannels)
        let made = try await makeCall(
            id: callId, peer: peer, machine: machine, line: line, start: start, room: room ?? Self.randomName(),
            unless: { calls.ringing(from: peer) != nil })
        guard let call = made else {
            // The peer's call arrived meanwhile; if it is already over, try again.
            if let ringing = await accept(callOf: peer, media, sends, output: output, data) { return ringing }
            return try await self.call(
                peer, media: media, id: id, room: room, sends: sends, output: output, extension: data)
        }
        if !data.isEmpty {
            do throws(CallError) {
                try await call.attach(data)
            } catch {
                await call.hangUp()
                throw error
            }
        }
        if !output { await call.setOutput(false) }
        // Subscribe before the start, so that no event is missed.
        let events = call.events
        await call.start()
        // The peer called meanwhile, and its call is the one to keep: this end sends no invite.
        if call.role == .callee { return call }
        for await event in events {
            switch event {
            case .reached(.offerCreated, _): return call
            case .stateChanged(let change) where change.reason == .glare: return call
            default: continue
            }
        }
        // The call ended, or the task was cancelled; a cancelled task must not leave a running call behind.
        await call.hangUp()
        if let error = await call.missingPrerequisite { throw .media(error) }
        throw .ended(await call.end ?? CallEnd(reason: .mediaFailed, by: .local))
    }

    /// Accepts the call of `peer` that rings here; nil when there is none.
    private func accept(
        callOf peer: String, _ media: CallMedia, _ sends: MediaState, output: Bool, _ data: [String: String]
    ) async -> Call? {
        guard let ringing = calls.ringing(from: peer) else { return nil }
        // A call that was registered just now may not ring yet.
        for await event in ringing.events { if case .stateChanged = event { break } }
        // The peer's call may have more media than this user wants to send; nil keeps the callee's setting.
        let audio: MediaState.Sending? = media.audio ? (sends.audio == .on ? nil : sends.audio) : .off
        let video: MediaState.Sending? = media.video ? (sends.video == .on ? nil : sends.video) : .off
        return (try? await ringing.accept(audio: audio, video: video, output: output, extension: data)) != nil
            ? ringing : nil
    }

    /// Calls the peer of an ended call again, with the same media and extension data.
    ///
    /// What this end did not send at the end of that call stays off: the peer may have added it.
    /// - Parameters:
    ///   - report: of the ended call.
    ///   - room: as for any call: nil is a new one, which a former peer cannot know.
    /// - Throws: as ``call(_:media:id:room:sends:output:extension:)`` does.
    public func call(again report: CallReport, room: String? = nil) async throws(CallError) -> Call {
        let sends = MediaState(
            audio: report.sends.audio == .off ? .off : .on, video: report.sends.video == .off ? .off : .on)
        return try await call(
            report.peer, media: report.media, room: room, sends: sends, extension: report.inviteExtension)
    }

    /// 122 random bits, which nobody can guess.
    private static func randomName() -> String { UUID().uuidString.lowercased() }
}

extension Agent: Service {
    /// Prepares, and stays signed in until graceful shutdown, which closes the agent.
    public func run() async throws {
        try await prepare()
        try? await gracefulShutdown()
        await close()
    }
}
