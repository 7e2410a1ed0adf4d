/// Where an agent is.
public enum AgentState: String, Sendable, Equatable, CaseIterable {
    /// Not signed in, nothing is open. Can transition to: preparing, closed.
    case idle
    /// Warms up and signs in. Can transition to: prepared, failed, idle, closed.
    case preparing
    /// Signed in; calls may be placed and come in. Can transition to: preparing, failed, idle, closed.
    case prepared
    /// The last attempt to prepare failed, or another program took the place of this one. Can transition to: preparing, idle, closed.
    case failed
    /// Closed for good.
    case closed
}

/// One change of an agent's state.
public struct AgentStateChange: Sendable, Equatable {
    /// The new state.
    public let state: AgentState
    /// Why.
    public let reason: AgentChangeReason
    /// Who brought it about: this end, or the signaling server.
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
    /// ``CallAgent/prepare()`` was called.
    case prepare
    /// The server took the sign-in.
    case signedIn
    /// ``CallAgent/prepare()`` failed.
    case failed(CallError)
    /// Another program signed in as this user and device; this one stays signed out until ``CallAgent/prepare()``.
    case replaced
    /// ``CallAgent/release()`` was called.
    case release
    /// ``CallAgent/close()`` was called.
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
