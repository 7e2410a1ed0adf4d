internal import CallProtocol

/// The end of a call, and the codes by which both ends tell each other why.
extension CallMachine {
    /// Ends the call and tells the peer.
    mutating func finish(
        _ reason: EndReason, code: Int? = nil, text: String = "", by party: CallParty
    ) -> [Effect] {
        // What failed here may name files and devices of this machine, which are none of the peer's business.
        let told = reason == .mediaFailed ? "" : SignalingLimits.bounded(text)
        let farewell = SignalingMessage.Farewell(code: code ?? reason.farewellCode, text: told)
        let body: SignalingMessage.Body
        switch (role, phase) {
        // Of an accept that has not gone out the caller knows nothing: for it, this end still rings.
        case (.callee, .accepted) where isAcceptOwed: body = .reject(farewell)
        case (_, .accepted): body = .hangup(farewell)
        case (.caller, _): body = .cancel(farewell)
        case (.callee, _): body = .reject(farewell)
        }
        let message = send(body)
        let end = close(CallEnd(reason: reason, code: code, text: text, by: party))
        // A callee that was never invited knows of no call.
        return role == .callee || isInviteSent ? [message] + end : end
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

    /// What the code of a `reject`, `cancel` or `hangup` means to the one who receives it.
    static func reasonForFarewell(_ code: Int, otherwise: EndReason) -> EndReason {
        switch code {
        case EndReason.ringTimeout.code: .remoteRingTimeout
        case EndReason.connectTimeout.code: .remoteConnectTimeout
        case EndReason.incompatibleMedia.code: .incompatibleMedia
        case EndReason.remoteFailed.code: .remoteFailed
        default: otherwise
        }
    }

    /// Whether a refusal is about the device that sent it rather than its user's will (RFC 3261 section 21.6 against 21.4).
    static func isOfOneDevice(_ code: Int) -> Bool {
        [
            EndReason.remoteBusy.code, EndReason.offline.code, EndReason.ringTimeout.code,
            EndReason.incompatibleMedia.code, EndReason.remoteFailed.code,
        ].contains(code)
    }
}
