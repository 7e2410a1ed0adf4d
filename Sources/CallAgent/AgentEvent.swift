/// What the user of an agent is told, besides what its calls tell.
public enum AgentEvent: Sendable, Equatable {
    /// The state changed; a new stream begins with the present one.
    case stateChanged(AgentStateChange)
    /// The signaling connection was lost; running calls go on.
    case signalingLost(text: String)
    /// The signaling connection is back; what was not acknowledged was sent again.
    case signalingRestored
    /// The token of the sign-in expires in so many ms; see ``CallAgent/renew(token:)``.
    case tokenWillExpire(milliseconds: Int)
    /// A call of `peer` was refused, since the agent has as many as it takes.
    case refusedAsBusy(peer: String, callId: String)
    /// A call of `peer` was refused by ``CallAgentConfiguration/screenInvite``, with the code that its caller was told.
    case inviteRefused(peer: String, callId: String, code: Int)
    /// An invite came so late that it does not ring any more.
    case inviteExpired(peer: String, callId: String, ageMs: Int)
    /// A message about a call that is over, or that never was, was given up; those of running calls are
    /// ``CallNotice/messageNotDelivered(type:code:text:)``.
    case messageNotDelivered(peer: String, callId: String, type: String, code: Int?, text: String)
    /// This stream was read too slowly: so many events, none of them a change of state, were dropped here.
    case eventsDropped(Int)
}

extension AgentEvent: ObservableEvent {
    var isState: Bool { if case .stateChanged = self { true } else { false } }
    var droppedCount: Int? { if case .eventsDropped(let count) = self { count } else { nil } }
}
