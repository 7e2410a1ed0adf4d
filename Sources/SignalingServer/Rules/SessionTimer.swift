/// What a signed-in connection waits for.
enum SessionTimer: Sendable, Hashable {
    /// The moment to say that the token will expire.
    case tokenWarning
    /// The end of the token.
    case tokenExpiry
    /// The moment to hand out new TURN credentials.
    case iceServers
}
