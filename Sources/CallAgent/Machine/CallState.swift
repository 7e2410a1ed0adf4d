/// Where a call is, for its user.
public enum CallState: String, Sendable, Equatable, CaseIterable, Codable {
    /// The invite is on its way. Can transition to: ringing, connecting, connected, reconnecting, ended.
    case calling
    /// The callee's device rings. Can transition to: connecting, connected, reconnecting, ended.
    case ringing
    /// Accepted, but nothing of the peer was decoded yet. Can transition to: connected, reconnecting, ended.
    case connecting
    /// Accepted, and the peer is seen or heard. Can transition to: reconnecting, ended.
    case connected
    /// Connected, but nothing of the peer arrives at present. Can transition to: connected, ended.
    case reconnecting
    /// Over; stays so.
    case ended
}

/// Which end of a call this is.
public enum CallRole: String, Sendable, Equatable, Codable {
    case caller
    case callee
}

/// Who brought something about.
public enum CallParty: String, Sendable, Equatable, Codable {
    /// This end: its user or one of its timers.
    case local
    /// The peer.
    case peer
}

/// Why the state of a call changed.
public enum ChangeReason: Sendable, Equatable {
    /// This end placed the call.
    case placed
    /// The peer invited.
    case invited
    /// The callee's device rings.
    case ringing
    /// The callee took the call.
    case accepted
    /// The first picture (or sound, in a call without pictures) of the peer was decoded.
    case firstFrame
    /// Nothing of the peer arrives.
    case interrupted
    /// The peer's media is back.
    case resumed
    /// The call ended.
    case ended(EndReason)
}

/// One change of a call's state.
public struct CallStateChange: Sendable, Equatable {
    /// The new state.
    public let state: CallState
    /// Why.
    public let reason: ChangeReason
    /// Who brought it about.
    public let by: CallParty

    /// Makes a change.
    public init(state: CallState, reason: ChangeReason, by: CallParty) {
        self.state = state
        self.reason = reason
        self.by = by
    }
}

/// How a call ended.
public struct CallEnd: Sendable, Equatable {
    /// Why.
    public let reason: EndReason
    /// The reason's own code, or the one that the peer sent.
    public let code: Int
    /// For people: what the peer said, or what failed.
    ///
    /// May be empty.
    public let text: String
    /// Who ended it.
    public let by: CallParty

    /// Makes an end with the reason's own code unless another is given.
    public init(reason: EndReason, code: Int? = nil, text: String = "", by: CallParty) {
        self.reason = reason
        self.code = code ?? reason.code
        self.text = text
        self.by = by
    }
}
