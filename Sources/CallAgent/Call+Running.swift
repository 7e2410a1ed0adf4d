internal import CallProtocol
internal import Logging
internal import Synchronization

/// The loop that feeds events to the rules and carries out the effects.
extension Call {
    /// What a call needs of its agent.
    struct Surroundings: Sendable {
        /// Hands a message to the transport, in order.
        var outbox: @Sendable (SignalingMessage) -> Void
        /// Stops repeating the messages of the call, except its farewell.
        var forget: @Sendable (CallKey) -> Void
        /// Returns when the peer has acknowledged the messages of the call; nil if nobody does.
        var acknowledged: (@Sendable (CallKey) async -> Void)?
        /// Finds out whether signaling still works.
        var checkSignaling: @Sendable () -> Void = {}
        /// Where the call is listed until it is over.
        var registry: CallRegistry
        /// Makes the media of a further generation.
        var makeSession: CallGenerations.Make
        /// Stores the report of a call whose media is closed.
        var keep: @Sendable (CallReport) -> Void = { _ in }
        /// ms since 1970.
        var wallClock: @Sendable () -> Double
        var sleep: @Sendable (Duration) async throws -> Void
        var logger: Logger
        /// Whether this end sends `ringing`.
        var announcesRinging = true
        /// This end's device.
        var device: String?
        /// The room of an outgoing call.
        var room: String?
        var displayName: String?
        var address: String?
        /// Sent with every message that begins or ends something.
        var extensionData: [String: String] = [:]
        var hooks: [any CallHook] = []
        var statisticsInterval: Duration?
        /// The sources of the agent's calls, unless the user of a call chooses another one.
        var sourceNames: [CaptureFault.Medium: String] = [:]
    }

    // MARK: For its agent

    /// Starts the call as its caller.
    func start() {
        guard !machine.isBegun else { return }
        CallMetrics.began(role)
        beginSampling()
        process(.place, at: timeline.start)
    }

    /// Starts the call as its callee.
    func start(invite: SignalingMessage.Invite, device: String?, extension data: [String: String] = [:]) {
        identity.withLock { $0.inviteExtension = data }
        CallMetrics.began(role)
        beginSampling()
        process(.received(.invite(invite), device: device), at: timeline.start)
    }

    /// A message of this call and of its peer arrived.
    func receive(_ message: SignalingMessage) {
        let wasAccepted = timeline.instant(of: .accepted) != nil
        if message.body.isSignOfLife { auditsUnanswered = 0 }
        if !message.extensionData.isEmpty { hub.yield(.extensionData(message.extensionData)) }
        let late = messageLateness.note(
            sentUnixMs: message.sentUnixMs, receivedUnixMs: surroundings.wallClock())
        process(.received(message.body, generation: message.generation, device: message.device), late: late)
        // Only the accept that the rules applied gives the time.
        if case .accept = message.body, !wasAccepted, timeline.instant(of: .accepted) != nil {
            acceptedAtCallee = timeline.instant(unixMs: message.sentUnixMs)
        }
    }

    /// Asks the peer whether the call still exists; notifies the user once when the peer is silent for a whole interval.
    func audit() {
        guard machine.state != .ended else { return }
        process(.audit)
        // Without signaling, nothing was asked and no answer can arrive.
        guard !isSignalingLost else { return }
        auditsUnanswered += 1
        if auditsUnanswered == 2 { hub.yield(.notice(.auditUnanswered)) }
    }

    /// This end's own signaling was lost or is back; queries from before say nothing about the peer then.
    func signaling(isLost: Bool) {
        (isSignalingLost, auditsUnanswered) = (isLost, 0)
        process(isLost ? .signalingLost : .signalingRestored)
    }

    /// A message of this call was given up.
    func gaveUp(_ message: SignalingMessage, code: Int?, text: String) {
        guard machine.state != .ended else { return }
        forgetAnnounced(message.body)
        if message.body.isInvite { return process(.inviteFailed(text: text)) }
        record(.other, "messageNotDelivered \(message.body.name)", at: .now)
        hub.yield(.notice(.messageNotDelivered(type: message.body.name, code: code, text: text)))
    }

    /// The peer also calls this user, and its call is the one to keep.
    func yield(to invite: SignalingMessage.Invite, _ message: SignalingMessage) {
        // The peer's call may arrive before this one has started.
        start()
        guard machine.end == nil else { return }
        adopting = (id: message.callId, invite: invite)
        process(.yield(to: invite, device: message.device))
        identity.withLock { $0.inviteExtension = message.extensionData }
        acceptedAtCallee = timeline.instant(of: .accepted)
    }

    /// Returns when the call has ended and its media is closed.
    func waitUntilClosed() async {
        _ = await waitUntilEnded()
        await closing?.value
    }

    // MARK: The loop

    /// - Parameter late: how much earlier than it arrived the peer sent the message of the event.
    func process(
        _ event: CallMachine.Event, at instant: ContinuousClock.Instant = .now, late: Duration = .zero
    ) {
        guard machine.state != .ended else { return }
        record(event, at: instant)
        if case .setSending(let audio, let video) = event {
            forgetFault(.audio, audio, before: machine.own.audio)
            forgetFault(.video, video, before: machine.own.video)
        }
        let effects = machine.handle(event)
        // Before the farewell is sent: its receiver may place the next call at once.
        if machine.state == .ended { surroundings.registry.noteEnd(of: self) }
        for effect in effects { carryOut(effect, at: instant) }
        expectAnnounced(at: instant - late)
        reportAttributes()
    }

    /// A silence is reported several times, and each check may connect again at once.
    private static let signalingCheckInterval = Duration.seconds(3)

    func note(_ fact: MediaFact, of media: GenerationMedia, at instant: ContinuousClock.Instant) {
        // Late facts of a replaced connection are ignored, and so is everything after the end.
        guard machine.state != .ended, let number = generations.number(of: media) else { return }
        if let stage = fact.stage { mark(stage, at: instant) }
        note(fact, generation: number)
        process(.media(fact, generation: number), at: instant)
        // What breaks a path often ends the connection to the server, too. Also while it rings, so that the accept finds its way.
        switch fact {
        case .pathChecked, .mediaMissing, .pathSilent:
            guard signalingChecked.map({ instant - $0 >= Self.signalingCheckInterval }) ?? true else { return }
            signalingChecked = instant
            surroundings.checkSignaling()
        // What is possible again for media is so for the connection to the server: it need not wait for its next attempt.
        case .resumed: surroundings.checkSignaling()
        default: break
        }
    }

    private func carryOut(_ effect: CallMachine.Effect, at instant: ContinuousClock.Instant) {
        switch effect {
        case .send(let body, let address): send(body, to: address, at: instant)
        case .createOffer(let media, let number): open(number, media).perform(.createOffer)
        case .createAnswer(let offer, let media, let number): open(number, media).perform(.createAnswer(to: offer))
        case .setAnswer(let sdp, let number):
            mark(.answerReceived, at: instant)
            generations[number]?.perform(.setAnswer(sdp))
        case .addCandidate(let candidate, let number): generations[number]?.perform(.addCandidate(candidate))
        case .restartIce(let restart, let number):
            generations[number]?.perform(.restartIce(restart))
        case .setIceParameters(let parameters, let number):
            generations[number]?.perform(.setIceParameters(parameters))
        case .setGates(let gates, let number):
            if gates.isReceiving { generations.show(number) }
            generations[number]?.perform(.setGates(gates))
        case .close(let number): close(number)
        case .startTimer(let timer, let milliseconds): startTimer(timer, milliseconds)
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .adoptCall: adopt()
        case .report(let change): report(change, at: instant)
        case .notify(let notice):
            keep(notice)
            hub.yield(.notice(notice))
        case .ignored(let text): logger.debug("ignored: \(text)")
        case .stopMedia: closing = Task { await self.stop() }
        }
    }

    /// Clears the fault of a source that is turned off, or turned on again.
    ///
    /// A source that is turned on is opened again; if that fails, a new fault is reported.
    private func forgetFault(
        _ medium: CaptureFault.Medium, _ next: MediaState.Sending?, before: MediaState.Sending
    ) {
        if let next, next == .off || before == .off { captureFaults[medium] = nil }
    }

    /// Stores what the report needs of a notice.
    private func keep(_ notice: CallNotice) {
        switch notice {
        case .dtmf(let digit): if dtmfReceived.count < Self.maximumDigits { dtmfReceived += digit }
        case .captureFailed(let fault), .captureLost(let fault): captureFaults[fault.medium] = fault
        case .captureRestored(let medium): captureFaults[medium] = nil
        default: break
        }
    }

    private func report(_ change: CallStateChange, at instant: ContinuousClock.Instant) {
        logger.info("\(change.state.rawValue)", metadata: ["reason": "\(change.reason)", "by": "\(change.by)"])
        if change.reason == .ringing || change.reason == .invited { mark(.ringing, at: instant) }
        if change.reason == .accepted || change.reason == .glare {
            mark(.accepted, at: instant)
            channels.accept()
        }
        if change.state == .connected { mark(.connected, at: instant) }
        if change.state == .ended {
            mark(.ended, at: instant)
            surroundings.forget(key)
            if let end = machine.end { CallMetrics.ended(role, end, timeline) }
            sampling?.cancel()
            if surroundings.statisticsInterval != nil { CallMetrics.forget(key, role) }
        } else {
            surroundings.registry.note(change.state, of: self)
        }
        runHooks(change)
        hub.yield(.stateChanged(change))
    }

    private func runHooks(_ change: CallStateChange) {
        // Only when the call is connected for the first time, not when its media is back.
        let isReported =
            change.state == .connected ? change.reason != .resumed : [.ringing, .ended].contains(change.state)
        guard isReported, !surroundings.hooks.isEmpty else { return }
        let connected = timeline.milliseconds(of: .connected)
        let facts = CallFacts(
            callId: id, role: role, user: user, peer: peer, callerDisplayName: callerDisplayName,
            callerAddress: callerAddress, room: room, media: media, startedUnixMs: timeline.startedUnixMs,
            end: machine.end,
            connectedMs: connected.flatMap { start in timeline.milliseconds(of: .ended).map { $0 - start } })
        for hook in surroundings.hooks {
            switch change.state {
            case .ringing: hook.callRings(facts)
            case .connected: hook.callConnected(facts)
            default: hook.callEnded(facts)
            }
        }
    }

    private func mark(_ stage: CallTimeline.Stage, at instant: ContinuousClock.Instant) {
        guard timeline.instant(of: stage) == nil else { return }
        timeline.mark(stage, at: instant)
        hub.yield(.reached(stage, milliseconds: timeline.milliseconds(of: stage) ?? 0))
    }

    private func startTimer(_ timer: CallTimer, _ milliseconds: Int) {
        timers.removeValue(forKey: timer)?.cancel()
        timers[timer] = Task { [sleep = surroundings.sleep] in
            guard (try? await sleep(.milliseconds(milliseconds))) != nil, !Task.isCancelled else { return }
            self.process(.timerFired(timer))
        }
    }

    // MARK: Messages

    private func send(
        _ body: SignalingMessage.Body, to address: CallMachine.Address, at instant: ContinuousClock.Instant
    ) {
        if case .ringing = body, !surroundings.announcesRinging { return }
        messagesSent += 1
        var body = body
        if case .invite(var invite) = body {
            invite.room = room
            (invite.displayName, invite.address) = (surroundings.displayName, surroundings.address)
            body = .invite(invite)
        }
        let prefix = CallMachine.inviteId.prefix(1)
        var message = SignalingMessage(
            id: "\(machine.role == .caller ? prefix : "b")\(messagesSent)", callId: id, from: user, to: peer,
            generation: address.generation, sentUnixMs: surroundings.wallClock(), body: body)
        message.device = surroundings.device
        message.toDevice = address.device
        if body.carriesAgentData { message.extensionData = surroundings.extensionData }
        message.extensionData.merge(extensionToSend) { $1 }
        if body.isInvite { inviteExtensionSent = extensionToSend }
        extensionToSend = [:]
        if !body.isRoutine { record(.sent, body.name, at: instant) }
        surroundings.outbox(message)
        if case .state(let state) = body { noteAnnounced(state, inMessage: messagesSent) }
    }

    /// The call continues under the id of the peer's call.
    private func adopt() {
        guard let (newId, invite) = adopting.take().map({ ($0.id, $0.invite) }) else { return }
        // The peer drops the invite that carried it, so the accept carries it again.
        extensionToSend.merge(inviteExtensionSent) { waiting, _ in waiting }
        surroundings.forget(key)
        surroundings.registry.adopt(newId, insteadOf: key)
        identity.withLock {
            $0 = CallIdentity(
                callId: newId, role: .callee, room: invite.room, displayName: invite.displayName,
                address: invite.address)
        }
        logger.info("both users called each other; this call continues as \(newId)")
    }

    /// Observers already got the end; the agent forgets the call when its media is closed.
    private func stop() async {
        hub.finish()
        await closeMedia()
        channels.end()
        surroundings.keep(await report())
        surroundings.registry.remove(self)
    }
}
