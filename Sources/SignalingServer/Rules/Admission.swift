/// Who may come in: how many sockets, from where, and by which name.
///
/// A plain value. It is asked when a socket is accepted, and again with the request, which says whom a proxy speaks for.
struct Admission<Socket: Hashable & Sendable>: Sendable {
    /// What of a request matters here.
    struct Request: Sendable {
        var peer: IPAddress?
        /// This end of the socket.
        var local: IPAddress?
        var host: String?
        var origin: String?
        /// What `X-Forwarded-For` says.
        var hops: [String] = []
        /// Whether a field says that it passed a proxy.
        var isForwarded = false
    }

    private var census: ConnectionCensus<Socket>
    private let hosts: HostNames
    private let origins: [String]
    private let proxies: [AddressBlock]
    private let countsLoopback: Bool

    init(_ configuration: SignalingServerConfiguration) {
        census = ConnectionCensus(
            bounds: .init(
                total: configuration.connections, unauthenticated: configuration.unauthenticatedConnections,
                perAddress: configuration.connectionsPerAddress))
        hosts = HostNames(
            listening: configuration.host, allowed: configuration.allowedHosts, hasTLS: configuration.tls != nil)
        origins = configuration.allowedOrigins
        proxies = configuration.trustedProxies.compactMap { AddressBlock($0) }
        countsLoopback = configuration.countsLoopback
    }

    /// How many sockets there are.
    var count: Int { census.count }

    /// Counts one more socket, unless a bound is reached.
    ///
    /// A proxy's, and one from this machine, is not counted for an address yet: the request says whose it is.
    mutating func admit(_ socket: Socket, from peer: IPAddress?) -> ConnectionCensus<Socket>.Refusal? {
        let isOpen = peer.map { address in proxies.contains { $0.contains(address) } || isExempt(address) } ?? false
        return census.admit(socket, from: isOpen ? nil : peer?.site)
    }

    /// Whom the request on `socket` comes from; nil when that address has too many sockets already.
    mutating func client(of request: Request, on socket: Socket) -> ClientAddress? {
        let client = ClientAddress(
            peer: request.peer, hops: request.hops, isForwarded: request.isForwarded, trusted: proxies)
        guard let address = client.address, !client.isLocal || countsLoopback else { return client }
        return census.claim(socket, for: address.site) ? client : nil
    }

    /// Whether the request came by a name of this server.
    func isOwnName(_ request: Request) -> Bool { hosts.contains(request.host, local: request.local) }

    /// Whether the request may become a WebSocket, as far as the page goes that asks for it.
    func verdict(on request: Request) -> BrowserOrigin.Verdict {
        BrowserOrigin.verdict(
            on: request.origin, host: request.host, isOwnName: isOwnName(request), allowed: origins)
    }

    mutating func signedIn(_ socket: Socket) { census.signedIn(socket) }

    mutating func left(_ socket: Socket) { census.left(socket) }

    private func isExempt(_ peer: IPAddress) -> Bool { peer.isLoopback && !countsLoopback }
}
