/// The state of an agent.
public enum AgentState: String, Sendable, Equatable, CaseIterable {
    /// Not signed in, nothing is open. Can transition to: preparing, closed.
    case idle
    /// Warms up and signs in. Can transition to: prepared, failed, idle, closed.
    case preparing
    /// Signed in; calls can be placed and received. Can transition to: preparing, failed, idle, closed.
    case prepared
    /// The last attempt to prepare failed, or another program replaced this one. Can transition to: preparing, idle, closed.
    case failed
    /// Closed; the final state.
    case closed
}

/// One change of an agent's state.
public struct AgentStateChange: Sendable, Equatable {
    /// The new state.
    public let state: AgentState
    /// Why.
    public let reason: AgentChangeReason
    /// Who caused it: this end, or the signaling server.
    public let by: CallParty

    /// Makes a change.
    public init(state: AgentState, reason: AgentChangeReason, by: CallParty) {
        self.state = state
        self.reason = reason
        self.by = by
    }
}

/// Why the state of an agent changed.
public enum AgentChangeReason: Sendable, Equatable {
    /// The agent was made.
    case created
    /// ``Agent/prepare()`` was called.
    case prepare
    /// The server accepted the sign-in.
    case signedIn
    /// ``Agent/prepare()`` failed.
    case failed(CallError)
    /// Another program signed in as this user and device; this one stays signed out until ``Agent/prepare()``.
    case replaced
    /// ``Agent/release()`` was called.
    case release
    /// ``Agent/close()`` was called.
    case close

    /// The name of the reason in the program's JSON.
    public var name: String {
        switch self {
        case .created: "created"
        case .prepare: "prepare"
        case .signedIn: "signedIn"
        case .failed: "failed"
        case .replaced: "replaced"
        case .release: "release"
        case .close: "close"
        }
    }
}

/// An event of an agent; each call has its own events.
public enum AgentEvent: Sendable, Equatable {
    /// The state changed; a new stream begins with the current state.
    case stateChanged(AgentStateChange)
    /// The signaling connection was lost; running calls continue.
    case signalingLost(text: String)
    /// The signaling connection is back; unacknowledged messages were sent again.
    case signalingRestored
    /// The token of the sign-in expires in this many ms; see ``Agent/renew(token:)``.
    case tokenWillExpire(milliseconds: Int)
    /// The transport got a new token from its own provider in time, and the sign-in goes on with it.
    case tokenRenewed
    /// The transport has a provider of tokens, but could not renew the sign-in; `text` says why. It may try again before the token expires.
    case tokenNotRenewed(text: String)
    /// A call from `peer` was refused, because the agent is at its limit.
    case refusedAsBusy(peer: String, callId: String)
    /// ``AgentConfiguration/screenInvite`` refused a call from `peer`; the caller got this code.
    case inviteRefused(peer: String, callId: String, code: Int)
    /// An invite arrived too late to ring.
    case inviteExpired(peer: String, callId: String, ageMs: Int)
    /// A message of a call that is over, or that never existed, was given up; running calls report
    /// ``CallNotice/messageNotDelivered(type:code:text:)``.
    case messageNotDelivered(peer: String, callId: String, type: String, code: Int?, text: String)
    /// This stream was read too slowly: this many events, none of them a state change, were dropped here.
    case eventsDropped(Int)
}

extension AgentEvent: ObservableEvent {
    var isState: Bool { if case .stateChanged = self { true } else { false } }
    var droppedCount: Int? { if case .eventsDropped(let count) = self { count } else { nil } }
}
