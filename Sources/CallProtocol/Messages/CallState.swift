/// The state of a call, for its user.
public enum CallState: String, Sendable, Equatable, CaseIterable, Codable {
    /// The invite is on its way. Can transition to: ringing, connecting, connected, ended.
    case calling
    /// The callee's device rings. Can transition to: connecting, connected, ended.
    case ringing
    /// Accepted, but no media of the peer was decoded yet. Can transition to: connected, ended.
    case connecting
    /// Accepted, and media of the peer was decoded. Can transition to: reconnecting, ended.
    case connected
    /// Connected, but no media of the peer arrives now. Can transition to: connected, ended.
    case reconnecting
    /// Over; the final state.
    case ended
}
