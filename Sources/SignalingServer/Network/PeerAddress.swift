internal import NIOCore

/// What an address says about its peer.
enum PeerAddress {
    /// Whether the peer is on this machine.
    static func isLoopback(_ address: SocketAddress?) -> Bool {
        guard let text = address?.ipAddress else { return false }
        return text.hasPrefix("127.") || text == "::1" || text.hasPrefix("::ffff:127.")
    }
}
