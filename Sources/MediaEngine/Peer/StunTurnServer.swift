/// A STUN or TURN server that ICE may use, as W3C's `RTCIceServer` describes it.
public struct StunTurnServer: Sendable, Hashable {
    /// `stun:HOST[:PORT]` (RFC 7064), `turn:HOST[:PORT][?transport=udp|tcp]` and `turns:HOST[:PORT]` (RFC 7065).
    ///
    /// The default is UDP and port 3478, for `turns:` TLS over TCP and port 5349.
    /// HOST is a name, an IPv4 address or an IPv6 address in brackets.
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

    /// Checks before a connection is made whether its servers can be used.
    ///
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` for a malformed URL, missing credentials, STUN over TLS and TURN over DTLS.
    public static func check(_ servers: [StunTurnServer]) throws(MediaError) {
        if let unusable = try IceServers(servers, policy: .all).unusable.first { throw unusable }
    }
}

/// Which candidates ICE may use.
public enum IceTransportPolicy: String, Sendable, CaseIterable {
    /// All.
    case all
    /// Only those of TURN servers, so that the peer does not learn this machine's addresses.
    case relay
}
