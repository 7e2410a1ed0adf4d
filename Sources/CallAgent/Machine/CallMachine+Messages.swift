internal import CallProtocol

/// Messages of the peer.
extension CallMachine {
    mutating func handleMessage(_ body: SignalingMessage.Body, generation: Int, device: String?) -> [Effect] {
        guard role == .callee || isInviteSent else { return [.ignored("an answer to no invite")] }
        guard isOfThisCall(device) else { return [.ignored("a message of another device of the peer")] }
        if body.isSignOfLife { peerPresence = .here }
        switch body {
        case .invite, .ringing, .progress, .accept, .candidate: return setUp(body, generation, device)
        case .offer, .answer, .renegotiate, .commit, .rollback: return change(body, generation)
        case .reject(let farewell): return refused(farewell, by: device)
        case .cancel(let farewell): return cancelled(farewell)
        case .hangup(let farewell):
            guard phase != .idle else { break }
            return hungUp(farewell, by: device)
        case .iceRestart(let parameters): return peerRestarts(parameters, generation)
        case .state(let state): return phase == .idle ? [] : setPeer(state)
        case .info(let content) where phase != .idle: return [.notify(.info(content))]
        case .query where phase != .idle: return [send(.status(state))]
        case .status, .skip: return []
        case .gone: return peerIsGone(device)
        case .error(let fault): return handleFault(fault, device)
        default: break
        }
        return [.ignored("a message that does not apply to a \(role) in \(state)")]
    }

    /// Once a device has accepted, messages of the others are ignored.
    private func isOfThisCall(_ device: String?) -> Bool {
        guard let device, let peerDevice else { return true }
        return device == peerDevice
    }

    /// Messages about the first peer connection.
    private mutating func setUp(_ body: SignalingMessage.Body, _ generation: Int, _ device: String?) -> [Effect] {
        if case .candidate(let candidate) = body { return take(candidate, generation, device) }
        guard generation == current.number || body == .ringing else {
            return [.ignored("a message of generation \(generation), not \(current.number)")]
        }
        switch (body, role, phase) {
        case (.invite(let invite), .callee, .idle): return ring(invite, device)
        case (.ringing, .caller, .calling): return rings(device) + enter(.ringing, .ringing, by: .peer)
        case (.ringing, .caller, .ringing) where device != nil: return rings(device)
        case (.progress(let sdp, let state), .caller, .calling):
            // A progress implies ringing, in case the `ringing` message was lost.
            return rings(device) + takeAnswer(sdp, state, device) + enter(.ringing, .ringing, by: .peer)
        case (.progress(let sdp, let state), .caller, .ringing):
            return rings(device) + takeAnswer(sdp, state, device)
        case (.accept(let sdp, let state), .caller, .calling), (.accept(let sdp, let state), .caller, .ringing):
            return accepted(sdp, state, by: device)
        default: return [.ignored("a message that does not apply to a \(role) in \(state)")]
        }
    }

    private mutating func ring(_ invite: SignalingMessage.Invite, _ device: String?) -> [Effect] {
        peerDevice = device
        peer = invite.state ?? peer
        var effects: [Effect] = [send(.ringing)]
        if earlyMedia == .off {
            current.pendingOffer = invite.sdp
        } else {
            current.isBuilt = true
            effects.append(.createAnswer(offer: invite.sdp, media))
        }
        effects.append(.startTimer(.ring, milliseconds: min(invite.ringTimeoutMs, timeouts.ringMs)))
        return effects + enter(.ringing, .invited, by: .peer)
    }

    private mutating func take(
        _ candidate: SignalingMessage.Candidate, _ generation: Int, _ device: String?
    ) -> [Effect] {
        guard phase != .idle, generation == current.number || generation == next?.number else {
            return [.ignored("a candidate of generation \(generation)")]
        }
        if generation == current.number, let device, let answered = current.device, device != answered {
            return [.ignored("a candidate of a device whose answer was not taken")]
        }
        return [.addCandidate(candidate, generation: generation)]
    }

    /// One offer takes one answer: the first one.
    mutating func takeAnswer(_ sdp: String, _ state: MediaState?, _ device: String?) -> [Effect] {
        guard !current.isAnswered else { return [.ignored("a second answer")] }
        current.isAnswered = true
        current.device = device
        return setPeer(state) + [.setAnswer(sdp: sdp, generation: current.number)]
    }

    /// Messages about the next peer connection.
    private mutating func change(_ body: SignalingMessage.Body, _ generation: Int) -> [Effect] {
        guard phase == .accepted else { return [.ignored("a change of a call that is \(state)")] }
        switch body {
        case .offer(let offer): return takeOffer(offer, generation: generation)
        case .answer(let sdp) where role == .caller: return answered(sdp, generation)
        case .renegotiate(let media): return renegotiate(media, generation: generation)
        case .commit: return peerCommitted(generation)
        case .rollback: return peerRolledBack(generation)
        default: return [.ignored("an answer to no offer")]
        }
    }

    private mutating func answered(_ sdp: String, _ generation: Int) -> [Effect] {
        if generation == current.number, generation > 0 { return takeAnswer(sdp, nil, peerDevice) }
        guard next?.number == generation, next?.isAnswered == false else {
            return [.ignored("an answer of generation \(generation)")]
        }
        next?.isAnswered = true
        return [.setAnswer(sdp: sdp, generation: generation)]
    }

    /// The peer reported what it sends; nil means nothing new.
    mutating func setPeer(_ state: MediaState?) -> [Effect] {
        guard let state, state != peer else { return [] }
        let holdBefore = hold
        peer = state
        return [.notify(.peerMediaChanged(state))] + (hold == holdBefore ? [] : [.notify(.holdChanged(hold))])
    }

    private mutating func handleFault(_ fault: SignalingMessage.Fault, _ device: String?) -> [Effect] {
        switch (fault.code, phase) {
        case (EndReason.unknownCall.code, .ringing), (EndReason.unknownCall.code, .accepted):
            return callIsUnknown(to: device, fault)
        // Before the callee's first message, the error is about the invite. Later, one lost message does not end the call.
        case (_, .calling) where role == .caller && fault.ref ?? Self.inviteId == Self.inviteId:
            let reason: EndReason =
                switch fault.code {
                case EndReason.unknownUser.code: .unknownUser
                case EndReason.offline.code: .offline
                default: .signalingFailed
                }
            return leave(reason, .init(code: fault.code, text: fault.text))
        // The server also says so of a peer whose network fails for a while. Then the call ends only if media stays away.
        case (EndReason.offline.code, _) where phase != .accepted || !shown.isVerified: return peerIsGone(device)
        default: return [.ignored("the error \(fault.code) \(fault.text)")]
        }
    }

    /// The id of a caller's first message, its invite; an error with this id is about the invite.
    public static let inviteId = "a1"

    /// Does not end the call while media flows.
    private mutating func peerIsGone(_ device: String?) -> [Effect] {
        if let device, phase == .ringing, role == .caller {
            ringingDevices.remove(device)
            // The others still ring.
            guard ringingDevices.isEmpty else { return [] }
        }
        guard peerPresence == .here else { return [] }
        peerPresence = .leaving
        return start(.peerGone)
    }
}

/// What is known of the peer's signaling connection.
enum PeerPresence: Sendable {
    case here
    /// It closed a moment ago. Its network may have changed: the server hears the end of the old connection before the peer signs in again.
    case leaving
    /// It closed, and no message of the peer arrived within the time of ``CallTimer/peerGone``.
    case gone
}

extension SignalingMessage.Body {
    /// Whether only a live peer can have sent it: most errors come from the server itself.
    var isSignOfLife: Bool {
        switch self {
        case .gone, .error: false
        default: true
        }
    }
}
