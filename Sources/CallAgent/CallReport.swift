public import CallProtocol

/// Everything that one end knows of a call.
public struct CallReport: Sendable, Equatable {
    /// The call's id, the same at both ends.
    public var callId: String
    /// Which end this is.
    public var role: CallRole
    /// This end's user.
    public var user: String
    /// The other end's user.
    public var peer: String
    /// The room of the call.
    public var room: String?
    /// What the call had.
    public var media: CallMedia
    /// Where it is.
    public var state: CallState
    /// How it ended; nil while it has not.
    public var end: CallEnd?
    /// Who holds it, or held it when it ended.
    public var hold = HoldState.none
    /// When what happened.
    public var timeline: CallTimeline
    /// What happened, line by line; the first some hundreds.
    public var records: [CallRecord] = []
    /// When the callee called `accept()`; nil when it did not.
    ///
    /// Measured at the callee. At the caller it is taken from the message's time, which is right as far as the two clocks agree.
    public var acceptedAtCallee: ContinuousClock.Instant?
    /// The keys that the peer pressed (RFC 4733), in order; the first some hundreds.
    public var keysReceived = ""
    /// What was sent and received.
    public var statistics: MediaReport
    /// What the application of this end, the caller, sent with the invite besides ``CallAgentConfiguration/extensionData``.
    public var inviteExtension: [String: String] = [:]

    /// What of this end's media failed that the call went on without, in words for people, such as a TURN server that refused.
    public var warnings: [String] {
        records.compactMap { record in
            guard record.kind == .media, record.action.hasPrefix(MediaFact.warningName) else { return nil }
            return String(record.action.dropFirst(MediaFact.warningName.count))
        }
    }

    /// How long the call was connected, in ms; nil when it was not.
    public var connectedMs: Double? {
        guard let connected = timeline.milliseconds(of: .connected) else { return nil }
        return timeline.milliseconds(of: .ended).map { $0 - connected }
    }

    /// Whether its caller may want to call again: nobody answered, or the callee was busy.
    ///
    /// ``EndReason/remoteBusy`` tells the two apart.
    public var offersCallAgain: Bool {
        guard role == .caller, let end else { return false }
        switch end.reason {
        case .remoteBusy, .remoteRejected, .ringTimeout, .remoteRingTimeout, .offline, .connectTimeout,
            .remoteConnectTimeout, .remoteLost, .mediaLost, .signalingFailed, .unknownCall:
            return true
        default: return false
        }
    }
}
