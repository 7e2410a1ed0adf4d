/// Who brought something about.
public enum CallParty: String, Sendable, Equatable, Codable {
    /// This end: its user or one of its timers.
    case local
    /// The peer.
    case peer
    /// The signaling server.
    case server
}
