internal import CallAgent

/// The STUN and TURN servers that the server gives, with the sign-in or later.
struct OfferedIceServers: Sendable, Equatable {
    let servers: [IceServer]
    /// How long the credentials are valid, in ms.
    let validForMs: Int

    /// The most servers, and URLs of each server, that are accepted.
    private static let most = 32

    /// Nil when there is no list, or too long a one.
    init?(_ wire: Wire) {
        guard let servers = wire.servers, servers.count <= Self.most,
            servers.allSatisfy({ $0.urls.count <= Self.most })
        else { return nil }
        (self.servers, validForMs) = (servers, max(wire.validForMs ?? 0, 0))
    }

    /// The list as it is written.
    struct Wire: Decodable {
        var servers: [IceServer]?
        var validForMs: Int?
    }
}
