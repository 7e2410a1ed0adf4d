internal import TLSClient

/// libnice opens plain TCP for `turns:`, so that credentials and addresses would go out in the clear.
///
/// libnice 0.1 knows TLS only as the pretence of two dialects of long ago (`priv_connect_turn_tcp` in `agent.c`; upstream
/// https://gitlab.freedesktop.org/libnice/libnice/-/issues/92). So it is given a port of this machine as a TURN server over TCP, from which a
/// ``TLSTunnel`` goes on to the real one: one for each server and peer connection, closed with it.
final class UnencryptedTurns: Workaround, Sendable {
    static let mendedIn: GStreamerVersion? = nil

    private let tunnels: [TLSTunnel]
    /// The servers as `webrtcbin` is to be told them, those without TLS included.
    let uris: [String]

    /// Opens the ports; blocks for as long as reading the trusted roots takes, when there are `turns:` servers at all.
    ///
    /// `addresses` are those that candidates are gathered on: libnice asks a server from addresses of the same family only.
    /// `onFailure` is told of a server that cannot be reached, and why.
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` when the roots cannot be read or there is no port left.
    init(
        _ relays: [IceServers.Relay], addresses: [String], trustRootsFile: String?,
        onFailure: @escaping @Sendable (IceServerURL, String) -> Void
    ) throws(MediaError) {
        var tunnels: [TLSTunnel] = []
        var uris: [String] = []
        let loopback = addresses.contains { !$0.contains(":") } ? "127.0.0.1" : "::1"
        var secure = relays.first { $0.url.scheme == .turns }
        do {
            // Read once for all servers.
            let context = secure == nil ? nil : try TrustedRoots.context(file: trustRootsFile)
            for relay in relays {
                guard relay.url.scheme == .turns, let context else {
                    uris.append(relay.uri(at: relay.url))
                    continue
                }
                secure = relay
                let tunnel = try TLSTunnel(
                    listeningOn: loopback, to: relay.url.host, port: relay.url.port, context: context
                ) { onFailure(relay.url, $0) }
                uris.append(relay.uri(at: IceServerURL(tcp: loopback, port: tunnel.port)))
                tunnels.append(tunnel)
            }
        } catch {
            let text = (error as? TrustedRoots.Unreadable)?.text ?? "no port for the way to it: \(error)"
            throw .invalidIceServer(url: secure?.url.text ?? "", text: text)
        }
        self.tunnels = tunnels
        self.uris = uris
    }

    func close() { for tunnel in tunnels { tunnel.close() } }
}
