/// Where an agent is.
public enum AgentState: String, Sendable, Equatable, CaseIterable {
    /// Not signed in, nothing is open. Can transition to: preparing, closed.
    case idle
    /// Warms up and signs in. Can transition to: prepared, failed, idle, closed.
    case preparing
    /// Signed in; calls may be placed and come in. Can transition to: preparing, idle, closed.
    case prepared
    /// The last attempt to prepare failed. Can transition to: preparing, idle, closed.
    case failed
    /// Closed for good.
    case closed
}
