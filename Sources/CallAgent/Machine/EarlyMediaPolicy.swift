/// What a callee lets happen while it rings.
public enum EarlyMediaPolicy: String, Sendable, Equatable, CaseIterable, Codable {
    /// The transport comes up and media flows both ways into closed gates: the fastest.
    case full
    /// The transport comes up and the caller's media flows into the callee's closed gate; nothing of the callee's media leaves before it accepts.
    case guarded
    /// Nothing happens before the callee accepts; the caller does not even learn the callee's addresses.
    case off
}
