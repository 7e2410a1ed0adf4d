/// Which end of a call this is.
public enum CallRole: String, Sendable, Equatable, Codable {
    case caller
    case callee
}
