/// The checked ICE servers of one connection.
struct IceServers: Sendable, Equatable {
    /// A TURN server with credentials: not for logs.
    struct Relay: Sendable, Equatable {
        /// `turn:` or `turns:` over TCP.
        let url: IceServerURL
        var username: String
        var credential: String

        /// The same server, reached at `url`.
        func moved(to url: IceServerURL) -> Relay { Relay(url: url, username: username, credential: credential) }
    }

    /// The STUN servers, each once.
    private(set) var stun: [IceServerURL] = []
    private(set) var relays: [Relay] = []
    /// The servers that cannot be used, each with the reason.
    private(set) var unusable: [MediaError] = []

    /// If a URL occurs twice, the last credentials count.
    ///
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` for a malformed URL or missing credentials, and when `policy` requires a relay
    ///   but none can be used.
    init(_ servers: [StunTurnServer], policy: IceTransportPolicy) throws(MediaError) {
        for server in servers {
            for text in server.urls {
                let url = try IceServerURL(parsing: text)
                switch (url.scheme, url.transport) {
                case (.stun, _): if !stun.contains(url) { stun.append(url) }
                // libnice speaks STUN over UDP only, and no DTLS to TURN servers.
                case (.stuns, _):
                    unusable.append(
                        .invalidIceServer(url: text, text: "STUN by TLS is not supported; use stun:"))
                case (.turns, "udp"):
                    unusable.append(
                        .invalidIceServer(
                            url: text, text: "TURN by DTLS is not supported; use ?transport=tcp, which is TLS")
                    )
                case (.turn, _), (.turns, _):
                    guard let username = server.username, let credential = server.credential, !username.isEmpty,
                        (username + credential).utf8.count <= 1_024, !(username + credential).utf8.contains(0)
                    else { throw .invalidIceServer(url: text, text: "TURN needs a username and a credential") }
                    let relay = Relay(url: url, username: username, credential: credential)
                    if let index = relays.firstIndex(where: { $0.url == url }) {
                        relays[index] = relay
                    } else {
                        relays.append(relay)
                    }
                }
            }
        }
        guard policy == .relay, relays.isEmpty else { return }
        throw unusable.first ?? .invalidIceServer(url: "", text: "only relays may be used, and no TURN server is given")
    }
}

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
