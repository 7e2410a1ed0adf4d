internal import TLSClient

/// libnice opens plain TCP for `turns:`, which would send credentials and addresses in the clear.
///
/// libnice 0.1 has no real TLS, only imitations of it for two old dialects (`priv_connect_turn_tcp` in `agent.c`; upstream
/// https://gitlab.freedesktop.org/libnice/libnice/-/issues/92). So it gets a local port as a TURN server over TCP. From there a ``TLSTunnel``
/// connects to the real server: one for each server and peer connection, closed with the connection.
final class UnencryptedTurns: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    private let tunnels: [TLSTunnel]
    /// The servers for libnice, including those without TLS.
    let relays: [IceServers.Relay]

    /// Opens the ports; blocks while it reads the trusted roots, if there are `turns:` servers at all.
    ///
    /// `addresses` are the addresses for gathering candidates: libnice contacts a server only from addresses of the same family.
    /// `onFailure` gets a server that cannot be reached, and the reason.
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` when the roots cannot be read or no port is free.
    init(
        _ relays: [IceServers.Relay], addresses: [String], trustRootsFile: String?,
        onFailure: @escaping @Sendable (IceServerURL, String) -> Void
    ) throws(MediaError) {
        var tunnels: [TLSTunnel] = []
        var reachable: [IceServers.Relay] = []
        let loopback = addresses.contains { !$0.contains(":") } ? "127.0.0.1" : "::1"
        var secure = relays.first { $0.url.scheme == .turns }
        do {
            // Read once for all servers.
            let context = secure == nil ? nil : try TrustedRoots.context(file: trustRootsFile)
            for relay in relays {
                guard relay.url.scheme == .turns, let context else {
                    reachable.append(relay)
                    continue
                }
                secure = relay
                let tunnel = try TLSTunnel(
                    listeningOn: loopback, to: relay.url.host, port: relay.url.port, context: context
                ) { onFailure(relay.url, $0) }
                reachable.append(relay.moved(to: IceServerURL(tcp: loopback, port: tunnel.port)))
                tunnels.append(tunnel)
            }
        } catch {
            let text = (error as? TrustedRoots.Unreadable)?.text ?? "no free local port for it: \(error)"
            throw .invalidIceServer(url: secure?.url.text ?? "", text: text)
        }
        self.tunnels = tunnels
        self.relays = reachable
    }

    func close() { for tunnel in tunnels { tunnel.close() } }
}
