public import CallProtocol

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
