/// Who holds a call.
public enum HoldState: String, Sendable, Equatable, CaseIterable, Codable {
    /// Nobody.
    case none
    /// This end.
    case held
    /// The peer.
    case remotelyHeld
    /// Both ends.
    case both
}
