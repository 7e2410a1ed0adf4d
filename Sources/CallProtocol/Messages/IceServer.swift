/// A STUN or TURN server, as W3C's `RTCIceServer` describes it.
public struct IceServer: Sendable, Equatable, Codable {
    /// `stun:`, `turn:` and `turns:` URLs (RFC 7064, RFC 7065).
    public var urls: [String]
    /// For TURN.
    public var username: String?
    /// For TURN: the password.
    public var credential: String?

    /// Names a server; STUN needs no credentials.
    public init(urls: [String], username: String? = nil, credential: String? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}
