/// The origin of a request.
struct ClientAddress: Sendable, Hashable {
    /// The client's own address, as far as trusted proxies report it; nil if the system reports none.
    let address: IPAddress?
    /// Whether the client is a program on this machine that connected directly.
    ///
    /// A client behind a proxy is not local, wherever the proxy runs.
    let isLocal: Bool

    /// - Parameters:
    ///   - peer: the other end of the socket.
    ///   - hops: the addresses in `X-Forwarded-For`; each proxy appends the address that it got the request from.
    ///   - isForwarded: whether any field of the request shows that it passed a proxy.
    ///   - trusted: the trusted proxies.
    init(peer: IPAddress?, hops: [String], isForwarded: Bool, trusted: [AddressBlock]) {
        func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }
        guard let peer, isTrusted(peer) else {
            address = peer
            isLocal = peer?.isLoopback == true && !isForwarded
            return
        }
        // Backwards from the last hop: entries before the first untrusted one could be forged.
        var client = peer
        for hop in hops.reversed() {
            guard let address = Self.address(hop) else { break }
            client = address
            guard isTrusted(address) else { break }
        }
        address = client
        isLocal = false
    }

    /// An address alone, or with a port, as some proxies write it.
    private static func address(_ hop: String) -> IPAddress? {
        IPAddress(hop) ?? Authority(hop).flatMap { IPAddress($0.host) }
    }
}
