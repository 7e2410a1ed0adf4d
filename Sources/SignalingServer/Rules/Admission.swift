/// Decides who may connect: by the number of sockets, the address, and the name of the server in the request.
///
/// A plain value. The server asks it when a socket is accepted, and again with the request, which has the address of a proxy's client.
struct Admission<Socket: Hashable & Sendable>: Sendable {
    /// The parts of a request that matter here.
    struct Request: Sendable {
        var peer: IPAddress?
        /// This end of the socket.
        var local: IPAddress?
        var host: String?
        var origin: String?
        /// The addresses in `X-Forwarded-For`.
        var hops: [String] = []
        /// Whether a field shows that the request passed a proxy.
        var isForwarded = false
    }

    private var census: ConnectionCensus<Socket>
    private let hosts: HostNames
    private let origins: [String]
    private let proxies: [AddressBlock]
    private let countsLoopback: Bool

    init(_ configuration: ServerConfiguration) {
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

    /// The number of sockets.
    var count: Int { census.count }

    /// Counts one more socket, unless a limit is reached.
    ///
    /// A socket from a proxy or from this machine is not counted for an address yet: the request has the client's address.
    mutating func admit(_ socket: Socket, from peer: IPAddress?) -> ConnectionCensus<Socket>.Refusal? {
        let isOpen = peer.map { address in proxies.contains { $0.contains(address) } || isExempt(address) } ?? false
        return census.admit(socket, from: isOpen ? nil : peer?.site)
    }

    /// The client that sent the request on `socket`; nil if its address has too many sockets already.
    mutating func client(of request: Request, on socket: Socket) -> ClientAddress? {
        let client = ClientAddress(
            peer: request.peer, hops: request.hops, isForwarded: request.isForwarded, trusted: proxies)
        guard let address = client.address, !client.isLocal || countsLoopback else { return client }
        return census.claim(socket, for: address.site) ? client : nil
    }

    /// Whether the `Host` of the request is a name of this server.
    func isOwnName(_ request: Request) -> Bool { hosts.contains(request.host, local: request.local) }

    /// Whether the page that sends the request may open a WebSocket.
    func verdict(on request: Request) -> BrowserOrigin.Verdict {
        BrowserOrigin.verdict(
            on: request.origin, host: request.host, isOwnName: isOwnName(request), allowed: origins)
    }

    mutating func signedIn(_ socket: Socket) { census.signedIn(socket) }

    mutating func left(_ socket: Socket) { census.left(socket) }

    private func isExempt(_ peer: IPAddress) -> Bool { peer.isLoopback && !countsLoopback }
}
