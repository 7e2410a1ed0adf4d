/// The rules of one call, seen from one end: no clock, no task, no media, no transport.
///
/// Feed it every ``Event`` in the order in which it happened and carry out the returned ``Effect``s in order. Late, duplicate and
/// impossible events are normal on a network: they give no effect but a line for the log, whatever a peer sends.
public struct CallMachine: Sendable, Equatable {
    /// How far the two ends have agreed.
    ///
    /// "Connected" is no phase: it is derived in ``state``.
    enum Phase: Sendable, Equatable {
        /// Nothing happened yet. Can transition to: calling (caller), ringing (callee), ended.
        case idle
        /// The caller waits for any sign of the callee. Can transition to: ringing, accepted, ended.
        case calling
        /// The callee's device rings. Can transition to: accepted, ended.
        case ringing
        /// Both want the call. Can transition to: ended.
        case accepted
        /// Over. Can transition to nothing.
        case ended(CallEnd)
    }

    /// Which end this is.
    public let role: CallRole
    /// What the call is to have.
    public let media: CallMedia
    /// What a callee lets happen while it rings; means nothing at a caller.
    public let earlyMedia: EarlyMediaPolicy
    let timeouts: CallTimeouts

    var phase = Phase.idle
    /// The peer connection that messages are about at present.
    var generation = 0
    /// The first picture, or in a call without pictures the first sound, was decoded.
    var hasFirstFrame = false
    /// The transport is up and the peer is who it says.
    var isVerified = false
    /// Nothing of the peer arrives.
    var isInterrupted = false
    /// The peer's signaling connection closed, and nothing came from it since.
    var isPeerGone = false
    /// The caller's offer, kept by a callee that does not answer before it accepts.
    var pendingOffer: String?
    /// The callee has sent its answer; the caller has taken one.
    var isAnswered = false
    /// The caller's invite went out.
    var isInviteSent = false
    /// What a caller found before its invite went out, which no candidate may overtake.
    var heldCandidates: [SignalingMessage.Candidate] = []

    /// Begins a call.
    ///
    /// - Parameter earlyMedia: the policy of a callee.
    public init(
        role: CallRole, media: CallMedia, earlyMedia: EarlyMediaPolicy = .guarded,
        timeouts: CallTimeouts = CallTimeouts()
    ) {
        self.role = role
        self.media = media
        self.earlyMedia = earlyMedia
        self.timeouts = timeouts
    }

    /// Where the call is, for its user.
    public var state: CallState {
        switch phase {
        case .idle, .calling: .calling
        case .ringing: .ringing
        case .accepted: hasFirstFrame ? (isInterrupted ? .reconnecting : .connected) : .connecting
        case .ended: .ended
        }
    }

    /// How the call ended; nil while it has not.
    public var end: CallEnd? { if case .ended(let end) = phase { end } else { nil } }

    /// Applies one event.
    public mutating func handle(_ event: Event) -> [Effect] {
        if case .ended = phase { return [] }
        switch event {
        case .place, .accept, .reject, .hangUp: return handleUser(event)
        case .received(let body, let generation): return handleMessage(body, generation: generation)
        case .sendFailed(let text): return handleSendFailure(text)
        case .timerFired(let timer): return handleTimer(timer)
        default: return handleMedia(event)
        }
    }

    // MARK: What the user does

    private mutating func handleUser(_ event: Event) -> [Effect] {
        switch (event, role, phase) {
        case (.place, .caller, .idle):
            return [.createOffer, .openSendGates, startTimer(.ring)] + enter(.calling, .placed, by: .local)
        case (.accept, .callee, .ringing): return acceptLocally()
        case (.reject(let code, let text), .callee, .ringing):
            // A code that no message can carry would leave the caller ringing.
            return finish(
                .localRejected, code: SignalingLimits.codes.contains(code) ? code : nil, text: text, by: .local)
        case (.hangUp(let text), _, .accepted): return finish(.localHangup, text: text, by: .local)
        case (.hangUp(let text), .caller, _): return finish(.localCancelled, text: text, by: .local)
        case (.hangUp(let text), .callee, _): return finish(.localRejected, text: text, by: .local)
        default: return [.ignored("\(event) does not apply to a \(role) in \(state)")]
        }
    }

    private mutating func acceptLocally() -> [Effect] {
        var effects: [Effect] = [.openSendGates]
        if let offer = pendingOffer.take() {
            effects.append(.createAnswer(offer: offer))
        } else if isAnswered {
            effects.append(.send(.accept(sdp: nil)))
        }
        // Otherwise the answer is being made, and goes out with the accept when it is there.
        return effects + enterAccepted(by: .local)
    }

    // MARK: What the peer says

    private mutating func handleMessage(_ body: SignalingMessage.Body, generation: Int) -> [Effect] {
        guard generation == self.generation || !body.isAboutOnePeerConnection else {
            return [.ignored("a message of generation \(generation), not \(self.generation)")]
        }
        guard role == .callee || isInviteSent else { return [.ignored("an answer to no invite")] }
        if body.isSignOfLife { isPeerGone = false }
        switch (body, role, phase) {
        case (.invite(let invite), .callee, .idle): return ring(invite)
        case (.ringing, .caller, .calling): return enter(.ringing, .ringing, by: .peer)
        case (.progress(let sdp), .caller, .calling):
            // A progress says that it rings, too, when the message that says so was lost.
            return takeAnswer(sdp) + enter(.ringing, .ringing, by: .peer)
        case (.progress(let sdp), .caller, .ringing): return takeAnswer(sdp)
        case (.accept(let sdp), .caller, .calling), (.accept(let sdp), .caller, .ringing):
            guard sdp != nil || isAnswered else {
                return finish(.incompatibleMedia, text: "the peer accepted without an answer", by: .peer)
            }
            return (sdp.map { takeAnswer($0) } ?? []) + enterAccepted(by: .peer)
        case (.reject(let farewell), .caller, .calling), (.reject(let farewell), .caller, .ringing):
            return leave(Self.reasonForReject(farewell.code), farewell)
        case (.cancel(let farewell), .callee, _):
            // Also after this end accepted: the cancel crossed the accept, and the caller is gone.
            return leave(Self.reasonForFarewell(farewell.code, otherwise: .remoteCancelled), farewell)
        case (.hangup(let farewell), _, _):
            return leave(Self.reasonForFarewell(farewell.code, otherwise: .remoteHangup), farewell)
        case (.candidate(let candidate), _, _) where phase != .idle: return [.addCandidate(candidate)]
        case (.gone, _, _): return peerIsGone()
        case (.error(let fault), _, _): return handleFault(fault)
        default: return [.ignored("a message that does not apply to a \(role) in \(state)")]
        }
    }

    private mutating func ring(_ invite: SignalingMessage.Invite) -> [Effect] {
        var effects: [Effect] = [.send(.ringing)]
        switch earlyMedia {
        case .full: effects += [.createAnswer(offer: invite.sdp), .openSendGates]
        case .guarded: effects.append(.createAnswer(offer: invite.sdp))
        case .off: pendingOffer = invite.sdp
        }
        effects.append(.startTimer(.ring, milliseconds: min(invite.ringTimeoutMs, timeouts.ringMs)))
        return effects + enter(.ringing, .invited, by: .peer)
    }

    /// One offer takes one answer: the first.
    private mutating func takeAnswer(_ sdp: String) -> [Effect] {
        guard !isAnswered else { return [.ignored("a second answer")] }
        isAnswered = true
        return [.setAnswer(sdp: sdp)]
    }

    private mutating func handleFault(_ fault: SignalingMessage.Fault) -> [Effect] {
        // Before the callee gave a sign, the fault is about the invite; later a message more or less does not end a call.
        guard role == .caller, phase == .calling else {
            return fault.code == EndReason.offline.code
                ? peerIsGone() : [.ignored("the error \(fault.code) \(fault.text)")]
        }
        let reason: EndReason =
            switch fault.code {
            case EndReason.unknownUser.code: .unknownUser
            case EndReason.offline.code: .offline
            default: .signalingFailed
            }
        return leave(reason, .init(code: fault.code, text: fault.text))
    }

    private mutating func handleSendFailure(_ text: String) -> [Effect] {
        guard role == .caller, phase == .calling else { return [.ignored("a message was not sent: \(text)")] }
        return leave(.signalingFailed, .init(code: EndReason.signalingFailed.code, text: text), by: .local)
    }

    /// A closed signaling connection ends the call only when the media is silent too.
    private mutating func peerIsGone() -> [Effect] {
        guard !isPeerGone else { return [] }
        isPeerGone = true
        if isInterrupted { return finish(.remoteLost, by: .peer) }
        return isVerified ? [] : [startTimer(.peerGone)]
    }

    // MARK: Changes of state

    private mutating func enterAccepted(by party: CallParty) -> [Effect] {
        phase = .accepted
        let accepted: [Effect] = [.cancelTimer(.ring)]
        if hasFirstFrame { return accepted + connect(.accepted, by: party) }
        return accepted + [startTimer(.connect), report(.accepted, by: party)]
    }

    /// Nothing of the peer is seen or heard before this.
    func connect(_ reason: ChangeReason, by party: CallParty) -> [Effect] {
        var effects: [Effect] = [.openReceiveGates, .cancelTimer(.connect), report(reason, by: party)]
        // Already silent when it was accepted: the state says so, and the timer runs.
        if isInterrupted { effects.append(startTimer(.mediaLost)) }
        return effects
    }

    private mutating func enter(_ next: Phase, _ reason: ChangeReason, by party: CallParty) -> [Effect] {
        phase = next
        return [report(reason, by: party)]
    }

    /// Ends the call and tells the peer.
    mutating func finish(
        _ reason: EndReason, code: Int? = nil, text: String = "", by party: CallParty
    ) -> [Effect] {
        // What failed here may name files and devices of this machine, which are none of the peer's business.
        let told = reason == .mediaFailed ? "" : SignalingLimits.bounded(text)
        let farewell = SignalingMessage.Farewell(code: code ?? reason.farewellCode, text: told)
        let message: SignalingMessage.Body
        switch (role, phase) {
        case (_, .accepted): message = .hangup(farewell)
        case (.caller, _): message = .cancel(farewell)
        case (.callee, _): message = .reject(farewell)
        }
        let end = close(CallEnd(reason: reason, code: code, text: text, by: party))
        // A callee that was never invited knows of no call.
        return role == .callee || isInviteSent ? [.send(message)] + end : end
    }

    /// Ends the call without a word: the peer knows, or cannot be told.
    mutating func leave(
        _ reason: EndReason, _ farewell: SignalingMessage.Farewell, by party: CallParty = .peer
    ) -> [Effect] {
        close(CallEnd(reason: reason, code: farewell.code, text: farewell.text, by: party))
    }

    private mutating func close(_ end: CallEnd) -> [Effect] {
        phase = .ended(end)
        return CallTimer.allCases.map { .cancelTimer($0) } + [.stopMedia, report(.ended(end.reason), by: end.by)]
    }

    func report(_ reason: ChangeReason, by party: CallParty) -> Effect {
        .report(CallStateChange(state: state, reason: reason, by: party))
    }

    func startTimer(_ timer: CallTimer) -> Effect {
        .startTimer(timer, milliseconds: timeouts.milliseconds(timer))
    }
}

extension SignalingMessage.Body {
    /// Whether the message means something to one generation only; what ends a call ends all of it.
    fileprivate var isAboutOnePeerConnection: Bool {
        switch self {
        case .invite, .progress, .accept, .candidate: true
        case .ringing, .reject, .cancel, .hangup, .gone, .error: false
        }
    }

    /// Whether only a peer that is there can have sent it: an error is mostly the server's own.
    fileprivate var isSignOfLife: Bool {
        switch self {
        case .gone, .error: false
        default: true
        }
    }
}
