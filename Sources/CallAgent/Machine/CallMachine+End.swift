internal import CallProtocol

/// The end of a call, and the codes that both ends send as the reason.
extension CallMachine {
    /// Ends the call and notifies the peer.
    mutating func finish(
        _ reason: EndReason, code: Int? = nil, text: String = "", by party: CallParty
    ) -> [Effect] {
        // The text of a local failure may name files and devices of this machine, which the peer must not learn. What did not arrive here
        // says nothing about what arrived there.
        let bounded = [.mediaFailed, .connectTimeout].contains(reason) ? "" : SignalingLimits.bounded(text)
        let farewell = SignalingMessage.Farewell(code: code ?? reason.farewellCode, text: bounded)
        let body: SignalingMessage.Body
        switch (role, phase) {
        // The caller knows nothing of an accept that was not sent: for the caller, this end still rings.
        case (.callee, .accepted) where isAcceptPending: body = .reject(farewell)
        case (_, .accepted): body = .hangup(farewell)
        case (.caller, _): body = .cancel(farewell)
        case (.callee, _): body = .reject(farewell)
        }
        let message = send(body)
        let end = close(CallEnd(reason: reason, code: code, text: text, by: party))
        // A callee that got no invite knows of no call.
        return role == .callee || isInviteSent ? [message] + end : end
    }

    /// Ends the call without a message: the peer already knows, or cannot be reached.
    mutating func leave(
        _ reason: EndReason, _ farewell: SignalingMessage.Farewell, by party: CallParty = .peer
    ) -> [Effect] {
        close(CallEnd(reason: reason, code: farewell.code, text: farewell.text, by: party))
    }

    private mutating func close(_ end: CallEnd) -> [Effect] {
        phase = .ended(end)
        return CallTimer.allCases.map { .cancelTimer($0) } + [.stopMedia, report(.ended(end.reason), by: end.by)]
    }

    // MARK: Codes

    /// What a `reject` means to the caller.
    ///
    /// The code itself is kept beside the reason.
    static func reasonForReject(_ code: Int) -> EndReason {
        switch code {
        case EndReason.remoteBusy.code: .remoteBusy
        default: reasonForFarewell(code, otherwise: .remoteRejected)
        }
    }

    /// What a `cancel` means to the callee.
    static func reasonForCancel(_ farewell: SignalingMessage.Farewell) -> EndReason {
        switch farewell.code {
        case EndReason.answeredElsewhere.code: .answeredElsewhere
        case EndReason.declinedElsewhere.code where farewell.winner != nil: .declinedElsewhere
        default: reasonForFarewell(farewell.code, otherwise: .remoteCancelled)
        }
    }

    /// What the code of a `reject`, `cancel` or `hangup` means to its receiver.
    static func reasonForFarewell(_ code: Int, otherwise: EndReason) -> EndReason {
        switch code {
        case EndReason.ringTimeout.code: .remoteRingTimeout
        case EndReason.connectTimeout.code: .remoteConnectTimeout
        case EndReason.incompatibleMedia.code: .incompatibleMedia
        case EndReason.remoteFailed.code: .remoteFailed
        default: otherwise
        }
    }

    /// Whether a refusal concerns the device that sent it, not its user's decision (RFC 3261 section 21.6 against 21.4).
    static func isOfOneDevice(_ code: Int) -> Bool {
        [
            EndReason.remoteBusy.code, EndReason.offline.code, EndReason.ringTimeout.code,
            EndReason.incompatibleMedia.code, EndReason.remoteFailed.code,
        ].contains(code)
    }
}
