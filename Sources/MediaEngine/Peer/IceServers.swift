/// The servers of one connection, checked and in `webrtcbin`'s form.
struct IceServers: Sendable, Equatable {
    /// Libnice asks one STUN server: the first.
    private(set) var stun: String?
    /// With credentials: not for logs.
    private(set) var turn: [String] = []
    /// What cannot be used, and why.
    private(set) var unusable: [MediaError] = []

    /// A URL that comes again has the credentials that came last.
    ///
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` for a malformed URL or missing credentials, and when `policy` asks for a relay
    ///   and there is none that can be used.
    init(_ servers: [StunTurnServer], policy: IceTransportPolicy) throws(MediaError) {
        var relays: [(url: IceServerURL, uri: String)] = []
        for server in servers {
            for text in server.urls {
                let url = try IceServerURL(parsing: text)
                switch url.scheme {
                case .stun: if stun == nil { stun = url.stunServer }
                case .stuns, .turns:
                    // libnice 0.1 opens plain TCP for it: credentials and addresses would go out in the clear.
                    unusable.append(
                        .invalidIceServer(
                            url: text, text: "TLS to STUN and TURN servers is not supported; use turn: over UDP or TCP")
                    )
                case .turn:
                    guard let username = server.username, let credential = server.credential, !username.isEmpty,
                        (username + credential).utf8.count <= 1_024, !(username + credential).utf8.contains(0)
                    else { throw .invalidIceServer(url: text, text: "TURN needs a username and a credential") }
                    let uri = url.turnServer(username: username, credential: credential)
                    if let index = relays.firstIndex(where: { $0.url == url }) {
                        relays[index].uri = uri
                    } else {
                        relays.append((url, uri))
                    }
                }
            }
        }
        turn = relays.map(\.uri)
        guard policy == .relay, turn.isEmpty else { return }
        throw unusable.first ?? .invalidIceServer(url: "", text: "the policy is relay, and no TURN server is given")
    }
}
