/// Where a request comes from.
struct ClientAddress: Sendable, Hashable {
    /// The client's own address, as far as trusted proxies tell it; nil when the system does not say.
    let address: IPAddress?
    /// Whether it is a program on this machine that came by itself.
    ///
    /// What came through a proxy is not, wherever the proxy runs.
    let isLocal: Bool

    /// - Parameters:
    ///   - peer: the other end of the socket.
    ///   - hops: what `X-Forwarded-For` says, each proxy having appended whom it heard.
    ///   - isForwarded: whether any field of the request says that it passed a proxy.
    ///   - trusted: the proxies whose word counts.
    init(peer: IPAddress?, hops: [String], isForwarded: Bool, trusted: [AddressBlock]) {
        func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }
        guard let peer, isTrusted(peer) else {
            address = peer
            isLocal = peer?.isLoopback == true && !isForwarded
            return
        }
        // From the last hop on: what is in front of the first one that is not trusted was written by whoever is there.
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
