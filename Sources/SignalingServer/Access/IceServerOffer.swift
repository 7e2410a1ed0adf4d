internal import Crypto
internal import FoundationEssentials

/// The STUN and TURN servers that clients should use, with temporary credentials.
///
/// The credentials are those of `draft-uberti-behave-turn-rest-00`, which coturn accepts with `use-auth-secret`: the TURN server
/// and this server share a secret and never communicate.
struct IceServerOffer: Sendable, Equatable {
    var stunURLs: [String]
    var turnURLs: [String]
    var secret: [UInt8]
    var lifetimeMs: Int

    /// One entry of the list that a client gets.
    struct Server: Sendable, Equatable {
        var urls: [String]
        var username: String?
        var credential: String?
    }

    func servers(for user: String, unixMs: Int) -> [Server] {
        var servers: [Server] = []
        if !stunURLs.isEmpty { servers.append(Server(urls: stunURLs)) }
        if !turnURLs.isEmpty {
            let username = "\((unixMs + lifetimeMs) / 1_000):\(user)"
            let code = HMAC<Insecure.SHA1>.authenticationCode(
                for: Data(username.utf8), using: SymmetricKey(data: secret))
            servers.append(
                Server(urls: turnURLs, username: username, credential: Data(code).base64EncodedString()))
        }
        return servers
    }

    /// Whether `url` is a STUN or TURN URL that needs no escaping in JSON.
    static func isURL(_ url: String, schemes: [String]) -> Bool {
        schemes.contains { url.hasPrefix($0 + ":") && url.utf8.count > $0.utf8.count + 1 } && url.utf8.count <= 512
            && url.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}
