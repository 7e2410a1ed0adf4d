internal import Logging

/// One call, from the invite to its end.
///
/// The rules are in ``CallMachine``; this runs it: events go in, in order, and effects are carried out, in order. Dropping the
/// last reference does not end the call; ``hangUp(text:)`` does, and so does cancelling the task in ``waitUntilEnded()``.
public actor Call {
    /// Random, the same at both ends.
    public nonisolated let id: String
    /// The user at this end.
    public nonisolated let user: String
    /// The user at the other end.
    public nonisolated let peer: String
    /// Which end this is.
    public nonisolated let role: CallRole
    /// What the call has.
    public nonisolated let media: CallMedia

    private var machine: CallMachine
    private var timeline: CallTimeline
    private var acceptedAtCallee: ContinuousClock.Instant?
    private let session: any MediaSession
    private let outbox: @Sendable (SignalingMessage) -> Void
    private let registry: CallRegistry
    private let wallClock: @Sendable () -> Double
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private let hub = CallEventHub()
    private let mediaCommands: AsyncStream<CallMachine.Effect>
    private let mediaQueue: AsyncStream<CallMachine.Effect>.Continuation
    private var timers: [CallTimer: Task<Void, Never>] = [:]
    private var messagesSent = 0
    private var closing: Task<Void, Never>?

    /// What a call needs of its agent.
    struct Surroundings: Sendable {
        /// Hands a message to the transport, in order; a failure comes back as `sendFailed`.
        var outbox: @Sendable (SignalingMessage) -> Void
        /// Where the call is listed until it is over.
        var registry: CallRegistry
        /// ms since 1970.
        var wallClock: @Sendable () -> Double
        var sleep: @Sendable (Duration) async throws -> Void
        var logger: Logger
    }

    init(
        id: String, user: String, peer: String, machine: CallMachine, session: any MediaSession,
        start: ContinuousClock.Instant, surroundings: Surroundings
    ) {
        self.id = id
        self.user = user
        self.peer = peer
        role = machine.role
        media = machine.media
        self.machine = machine
        self.session = session
        outbox = surroundings.outbox
        registry = surroundings.registry
        wallClock = surroundings.wallClock
        sleep = surroundings.sleep
        var logger = surroundings.logger
        logger[metadataKey: "call"] = "\(id)"
        self.logger = logger
        let age = ContinuousClock.now - start
        timeline = CallTimeline(start: start, startedUnixMs: surroundings.wallClock() - age.inMilliseconds)
        (mediaCommands, mediaQueue) = AsyncStream.makeStream()
    }

    // MARK: For its user

    /// Where the call is.
    public var state: CallState { machine.state }

    /// How the call ended; nil while it has not.
    public var end: CallEnd? { machine.end }

    /// What happens from now on, beginning with the present state; ends with the call.
    ///
    /// Every access gives a stream of its own.
    public nonisolated var events: AsyncStream<CallEvent> { hub.subscribe() }

    /// Takes the call.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless it is ringing at its callee.
    public func accept() throws(CallError) {
        guard role == .callee, state == .ringing else { throw wrongState("accept") }
        acceptedAtCallee = .now
        process(.accept)
    }

    /// Refuses the call; 603 is "declined", 486 "busy".
    ///
    /// A code outside ``SignalingLimits/codes`` is sent as 603. The text is cut to what a message holds.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless it is ringing at its callee.
    public func reject(code: Int = EndReason.localRejected.code, text: String = "") throws(CallError) {
        guard role == .callee, state == .ringing else { throw wrongState("reject") }
        process(.reject(code: code, text: text))
    }

    /// Ends the call, whatever its state: cancels what rings, rejects what came in, hangs up what was accepted.
    ///
    /// Idempotent.
    public func hangUp(text: String = "") { process(.hangUp(text: text)) }

    /// Waits for the end of the call.
    ///
    /// Cancelling the waiting task hangs up.
    public func waitUntilEnded() async -> CallEnd {
        await withTaskCancellationHandler {
            // A cancelled task would leave the loop at once, so the waiting is done by one that is not.
            await Task { for await _ in events {} }.value
        } onCancel: {
            Task { await self.hangUp() }
        }
        return machine.end ?? CallEnd(reason: .localHangup, by: .local)
    }

    /// Everything that this end knows of the call, now or after its end.
    public func report() async -> CallReport {
        let statistics = await session.report()
        return CallReport(
            callId: id, role: role, user: user, peer: peer, media: media, state: machine.state, end: machine.end,
            timeline: timeline, acceptedAtCallee: acceptedAtCallee, statistics: statistics)
    }

    private func wrongState(_ operation: String) -> CallError {
        .wrongState(operation: operation, state: "the \(role) of a call that is \(state)")
    }

    // MARK: For its agent

    /// Begins to follow the media, and places the call when this is its caller.
    func start(invite: SignalingMessage.Invite? = nil) {
        let (commands, events) = (mediaCommands, session.events)
        Task { for await command in commands { await self.carryOut(command) } }
        Task { for await event in events { self.process(event.event, at: event.at) } }
        CallMetrics.began(role)
        if let invite {
            process(.received(.invite(invite), generation: 0), at: timeline.start)
        } else {
            process(.place, at: timeline.start)
        }
    }

    /// A message of this call and of its peer arrived.
    func receive(_ message: SignalingMessage) {
        let wasAccepted = timeline.instant(of: .accepted) != nil
        process(.received(message.body, generation: message.generation))
        // Only the accept that the rules went by says when.
        if case .accept = message.body, !wasAccepted, timeline.instant(of: .accepted) != nil {
            acceptedAtCallee = timeline.instant(unixMs: message.sentUnixMs)
        }
    }

    /// Returns when the call has ended and its media is closed.
    func waitUntilClosed() async {
        _ = await waitUntilEnded()
        await closing?.value
    }

    func sendFailed(_ text: String) { process(.sendFailed(text: text)) }

    // MARK: The loop

    private func process(_ event: CallMachine.Event, at instant: ContinuousClock.Instant = .now) {
        guard machine.state != .ended else { return }
        if let stage = event.stage { mark(stage, at: instant) }
        for effect in machine.handle(event) {
            switch effect {
            case .send(let body): send(body)
            case .startTimer(let timer, let milliseconds): startTimer(timer, milliseconds)
            case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
            case .report(let change): report(change, at: instant)
            case .ignored(let text): logger.debug("ignored: \(text)")
            case .stopMedia: closing = Task { await self.stop() }
            case .setAnswer:
                mark(.answerReceived, at: instant)
                mediaQueue.yield(effect)
            case .createOffer, .createAnswer, .addCandidate, .openSendGates, .openReceiveGates:
                mediaQueue.yield(effect)
            }
        }
    }

    private func report(_ change: CallStateChange, at instant: ContinuousClock.Instant) {
        logger.info("\(change.state.rawValue)", metadata: ["reason": "\(change.reason)", "by": "\(change.by)"])
        if change.reason == .ringing || change.reason == .invited { mark(.ringing, at: instant) }
        if change.reason == .accepted { mark(.accepted, at: instant) }
        if change.state == .connected { mark(.connected, at: instant) }
        if change.state == .ended {
            mark(.ended, at: instant)
            registry.noteEnd(of: self)
            if let end = machine.end { CallMetrics.ended(role, end, timeline) }
        }
        hub.yield(.stateChanged(change))
    }

    private func mark(_ stage: CallTimeline.Stage, at instant: ContinuousClock.Instant) {
        guard timeline.instant(of: stage) == nil else { return }
        timeline.mark(stage, at: instant)
        hub.yield(.reached(stage, milliseconds: (instant - timeline.start).inMilliseconds))
    }

    private func send(_ body: SignalingMessage.Body) {
        messagesSent += 1
        outbox(
            SignalingMessage(
                id: "\(role == .caller ? "a" : "b")\(messagesSent)", callId: id, from: user, to: peer,
                generation: machine.generation, sentUnixMs: wallClock(), body: body))
    }

    private func startTimer(_ timer: CallTimer, _ milliseconds: Int) {
        timers.removeValue(forKey: timer)?.cancel()
        timers[timer] = Task { [sleep] in
            guard (try? await sleep(.milliseconds(milliseconds))) != nil, !Task.isCancelled else { return }
            self.process(.timerFired(timer))
        }
    }

    /// One after the other, in the order of the rules; what comes of it goes back to them as an event.
    private func carryOut(_ effect: CallMachine.Effect) async {
        // What waited its turn when the call ended must not reach media that is being closed.
        guard machine.state != .ended else { return }
        do throws(MediaSessionError) {
            switch effect {
            case .createOffer: process(.offerCreated(sdp: try await session.createOffer()))
            case .createAnswer(let offer): process(.answerCreated(sdp: try await session.createAnswer(to: offer)))
            case .setAnswer(let sdp): try await session.setAnswer(sdp)
            case .openSendGates: await session.openSendGates()
            case .openReceiveGates: await session.openReceiveGates()
            case .addCandidate(let candidate):
                do throws(MediaSessionError) {
                    try await session.addCandidate(candidate)
                } catch {
                    // One bad candidate is no reason to end a call: others may work.
                    logger.warning("a candidate of the peer was dropped: \(error)")
                }
            default: break
            }
        } catch {
            // What was going on when the call ended is expected to fail.
            guard machine.state != .ended else { return }
            logger.error("\(error)")
            process(.mediaFailed(error.fault))
        }
    }

    /// Observers heard of the end already; the agent forgets the call when its media is closed.
    private func stop() async {
        mediaQueue.finish()
        hub.finish()
        await session.close()
        registry.remove(self)
    }
}
