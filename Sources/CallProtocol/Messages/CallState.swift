/// Where a call is, for its user.
public enum CallState: String, Sendable, Equatable, CaseIterable, Codable {
    /// The invite is on its way. Can transition to: ringing, connecting, connected, ended.
    case calling
    /// The callee's device rings. Can transition to: connecting, connected, ended.
    case ringing
    /// Accepted, but nothing of the peer was decoded yet. Can transition to: connected, ended.
    case connecting
    /// Accepted, and the peer is seen or heard. Can transition to: reconnecting, ended.
    case connected
    /// Connected, but nothing of the peer arrives at present. Can transition to: connected, ended.
    case reconnecting
    /// Over; stays so.
    case ended
}
