internal import CallProtocol

/// Several devices of the callee ring; one answers, the others stop.
extension CallMachine {
    /// A device of the callee rings.
    mutating func rings(_ device: String?) -> [Effect] {
        guard let device, ringingDevices.insert(device).inserted else { return [] }
        return [.notify(.deviceRings(device))]
    }

    /// The first device that accepts has the call.
    mutating func accepted(_ sdp: String?, _ state: MediaState?, by device: String?) -> [Effect] {
        var effects: [Effect] = []
        // Sent to all devices; the one that has the call recognizes its own name.
        if let device { effects.append(notifyOtherDevices(.answeredElsewhere, winner: device)) }
        peerDevice = device
        effects += setPeer(state ?? MediaState())
        if current.isAnswered, device != current.device {
            effects += replaceCurrent()
        } else if let sdp {
            effects += takeAnswer(sdp, nil, device)
        } else if !current.isAnswered {
            return finish(.incompatibleMedia, text: "the peer accepted without an answer", by: .peer)
        }
        if device != nil, isStateSentToAll { effects.append(repeatState()) }
        if refusal != nil { effects.append(.cancelTimer(.fork)) }
        return effects + enterAccepted(by: .peer)
    }

    /// A device refused the call, for itself alone or for its user.
    mutating func refused(_ farewell: SignalingMessage.Farewell, by device: String?) -> [Effect] {
        guard role == .caller, phase == .calling || phase == .ringing else {
            return [.ignored("a reject of a call that is \(state)")]
        }
        guard let device else { return leave(Self.reasonForReject(farewell.code), farewell) }
        guard Self.isOfOneDevice(farewell.code) else {
            return [notifyOtherDevices(.declinedElsewhere, winner: device)]
                + leave(Self.reasonForReject(farewell.code), farewell)
        }
        ringingDevices.remove(device)
        refusal = farewell
        // Ringing devices may still accept. The others may still begin to ring.
        return ringingDevices.isEmpty ? start(.fork) : []
    }

    /// The time for other devices to ring is over.
    mutating func forkTimedOut() -> [Effect] {
        guard let refusal, ringingDevices.isEmpty, phase == .calling || phase == .ringing else { return [] }
        // A slow device must not begin to ring afterwards.
        return [notifyOtherDevices(.remoteCancelled, winner: nil)] + leave(Self.reasonForReject(refusal.code), refusal)
    }

    /// The caller gave up, or another device has the call.
    mutating func cancelled(_ farewell: SignalingMessage.Farewell) -> [Effect] {
        guard role == .callee, phase != .idle else { return [.ignored("a cancel to a \(role) in \(state)")] }
        if let winner = farewell.winner, winner == device {
            return [.ignored("the others heard that this device has the call")]
        }
        // Also after this end accepted: the cancel crossed the accept, and the caller is gone.
        return leave(Self.reasonForCancel(farewell), farewell)
    }

    /// A device says that it has no such call.
    mutating func callIsUnknown(to device: String?, _ fault: SignalingMessage.Fault) -> [Effect] {
        if let device, role == .caller, phase == .ringing {
            guard ringingDevices.remove(device) != nil, ringingDevices.isEmpty else {
                return [.ignored("a device that never rang has no such call")]
            }
        }
        return leave(.unknownCall, .init(code: fault.code, text: fault.text))
    }

    /// A device hung up; if its accept has not arrived yet, the other devices still ring.
    mutating func hungUp(_ farewell: SignalingMessage.Farewell, by device: String?) -> [Effect] {
        let isFirstWord = role == .caller && phase != .accepted && device != nil
        return (isFirstWord ? [notifyOtherDevices(.answeredElsewhere, winner: device)] : [])
            + leave(Self.reasonForFarewell(farewell.code, otherwise: .remoteHangup), farewell)
    }

    private func notifyOtherDevices(_ reason: EndReason, winner: String?) -> Effect {
        .send(
            .cancel(.init(code: reason.code, text: "", winner: winner)),
            to: Address(device: nil, generation: current.number))
    }

    // MARK: Glare

    /// Both users call each other, and both ends keep the peer's call: this end becomes its callee.
    ///
    /// This end's user already asked for the call, so nothing rings a second time.
    mutating func yield(to invite: SignalingMessage.Invite, device: String?) -> [Effect] {
        // Idle when the peer's invite arrived before this end's offer was made.
        guard role == .caller, phase == .idle || phase == .calling || phase == .ringing else {
            return [.ignored("a call of the peer's that is not to be yielded to")]
        }
        var effects: [Effect] = []
        if isInviteSent {
            let end = SignalingMessage.Farewell(code: EndReason.answeredElsewhere.code, text: "")
            effects.append(.send(.cancel(end), to: Address(generation: current.number)))
        }
        effects += [.close(generation: current.number), .adoptCall, .cancelTimer(.fork), .cancelTimer(.peerGone)]
        role = .callee
        peerPresence = .here
        peerDevice = device
        (ringingDevices, refusal) = ([], nil)
        (peer, sentState) = (invite.state ?? MediaState(), MediaState())
        // The peer's call may have more media than this end's user wanted to send.
        if !current.media.audio { own.audio = .off }
        if !current.media.video { own.video = .off }
        current = Generation(number: 0, media: invite.media.allowingData(allowsData))
        current.isBuilt = true
        effects.append(.createAnswer(offer: invite.sdp, current.media))
        return effects + enterAccepted(.glare, by: .peer)
    }
}
