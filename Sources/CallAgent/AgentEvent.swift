/// What the user of an agent is told, besides what its calls tell.
public enum AgentEvent: Sendable, Equatable {
    /// The state changed; a new stream begins with the present one.
    case stateChanged(AgentState)
    /// The signaling connection was lost; running calls go on.
    case signalingLost(text: String)
    /// The signaling connection is back; what was not acknowledged was sent again.
    case signalingRestored
    /// The token of the sign-in expires in so many ms; see ``CallAgent/renew(token:)``.
    case tokenWillExpire(milliseconds: Int)
    /// A call of `peer` was refused, since the agent has as many as it takes.
    case refusedAsBusy(peer: String, callId: String)
    /// An invite came so late that it does not ring any more.
    case inviteExpired(peer: String, callId: String, ageMs: Int)
}
