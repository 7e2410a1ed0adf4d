public import CallProtocol

/// One change of a call's state.
public struct CallStateChange: Sendable, Equatable {
    /// The new state.
    public let state: CallState
    /// Why.
    public let reason: ChangeReason
    /// Who caused it.
    public let by: CallParty

    /// Makes a change.
    public init(state: CallState, reason: ChangeReason, by: CallParty) {
        self.state = state
        self.reason = reason
        self.by = by
    }
}

/// Why the state of a call changed.
public enum ChangeReason: Sendable, Equatable {
    /// This end placed the call.
    case placed
    /// The peer sent an invite.
    case invited
    /// The callee's device rings.
    case ringing
    /// The callee accepted the call.
    case accepted
    /// The peer called, too, and both ends keep its call; nobody has to accept.
    case glare
    /// The first frame (or audio, in a call without video) of the peer was decoded.
    case firstFrame
    /// Nothing of the peer arrives.
    case interrupted
    /// The peer's media is back.
    case resumed
    /// The call ended.
    case ended(EndReason)
}

/// How a call ended.
public struct CallEnd: Sendable, Equatable {
    /// Why.
    public let reason: EndReason
    /// The reason's own code, or the one that the peer sent.
    public let code: Int
    /// A text for display: the peer's text, or what failed.
    ///
    /// May be empty.
    public let text: String
    /// Who ended it.
    public let by: CallParty

    /// Makes an end with the reason's own code, unless another is given.
    public init(reason: EndReason, code: Int? = nil, text: String = "", by: CallParty) {
        self.reason = reason
        self.code = code ?? reason.code
        self.text = text
        self.by = by
    }
}

/// Who caused something.
public enum CallParty: String, Sendable, Equatable, Codable {
    /// This end: its user or one of its timers.
    case local
    /// The peer.
    case peer
    /// The signaling server.
    case server
}

/// Which end of a call this is.
public enum CallRole: String, Sendable, Equatable, Codable {
    case caller
    case callee
}
