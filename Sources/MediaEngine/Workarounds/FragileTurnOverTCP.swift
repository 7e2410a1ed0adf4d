internal import Synchronization
internal import TransportSecurity

/// libnice opens plain TCP for `turns:`, and ends the process when a TURN server closes the TCP connection of a call.
///
/// libnice 0.1 has no real TLS, only imitations of it for two old dialects (`priv_connect_turn_tcp` in `agent.c`; upstream
/// https://gitlab.freedesktop.org/libnice/libnice/-/issues/92): credentials and addresses would be sent in the clear. When the connection that the
/// selected pair uses ends, it removes that pair while others are nominated, and aborts (`priv_prune_pending_checks: assertion failed:
/// (priority > 0)`; the same in 0.1.22, no upstream issue). So it gets a local port as a TURN server over TCP. From there a ``TCPTunnel``
/// connects to the real server, and keeps the local connection when that server closes its own: to libnice the server is silent then, and
/// the call looks for another path. There is one for each server and peer connection, closed with the connection.
/// The tunnels of servers that are no longer offered stay while they have a connection: the present path may lead through one. So do the last few others.
final class FragileTurnOverTCP: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    /// How many tunnels to former servers are kept without a connection.
    static let maximumFormer = 8

    private struct Tunnel {
        let url: IceServerURL
        let tunnel: TCPTunnel
    }
    /// The oldest first.
    private let tunnels = Mutex<[Tunnel]>([])
    private let addresses: [String]
    private let trustRootsFile: String?
    private let onFailure: @Sendable (IceServerURL, String) -> Void

    /// Opens no port yet.
    ///
    /// `addresses` are the addresses for gathering candidates: libnice contacts a server only from addresses of the same family.
    /// `onFailure` gets a server that cannot be reached, and the reason.
    init(
        addresses: [String], trustRootsFile: String?, onFailure: @escaping @Sendable (IceServerURL, String) -> Void
    ) {
        (self.addresses, self.trustRootsFile, self.onFailure) = (addresses, trustRootsFile, onFailure)
    }

    /// The servers as libnice reaches them; opens a port for each that is new.
    ///
    /// Blocks while it opens a port, and reads the trusted roots if there are new `turns:` servers.
    /// - Throws: ``MediaError/invalidIceServer(url:text:)`` when the roots cannot be read or no port is free.
    func reach(_ relays: [IceServers.Relay]) throws(MediaError) -> [IceServers.Relay] {
        var reachable: [IceServers.Relay] = []
        for relay in relays {
            guard relay.url.scheme == .turns || relay.url.transport == "tcp" else {
                reachable.append(relay)
                continue
            }
            do {
                let tunnel = try tunnel(to: relay.url, from: loopback)
                reachable.append(relay.moved(to: IceServerURL(tcp: loopback, port: tunnel.port)))
            } catch {
                let text = (error as? TrustedRoots.Unreadable)?.text ?? "no free local port for it: \(error)"
                throw .invalidIceServer(url: relay.url.text, text: text)
            }
        }
        closeFormer(otherThan: Set(relays.map(\.url)))
        return reachable
    }

    private func closeFormer(otherThan present: Set<IceServerURL>) {
        let closed = tunnels.withLock { tunnels in
            let former = tunnels.indices
                .filter { !present.contains(tunnels[$0].url) && tunnels[$0].tunnel.isIdle }
                .dropLast(Self.maximumFormer)
            defer { for index in former.reversed() { tunnels.remove(at: index) } }
            return former.map { tunnels[$0] }
        }
        for former in closed { former.tunnel.close() }
    }

    /// How many servers have a tunnel.
    var count: Int { tunnels.withLock { $0.count } }

    /// The addresses at which libnice reaches servers over TLS.
    var endpoints: Set<IceEndpoint> {
        let host = loopback
        return tunnels.withLock { tunnels in
            Set(tunnels.filter { $0.url.scheme == .turns }.map { IceEndpoint(host: host, port: $0.tunnel.port) })
        }
    }

    private var loopback: String { addresses.contains { !$0.contains(":") } ? "127.0.0.1" : "::1" }

    private func tunnel(to url: IceServerURL, from loopback: String) throws -> TCPTunnel {
        if let present = tunnels.withLock({ $0.first { $0.url == url } }) { return present.tunnel }
        let context = url.scheme == .turns ? try TrustedRoots.context(file: trustRootsFile) : nil
        let tunnel = try TCPTunnel(
            listeningOn: loopback, to: url.host, port: url.port, context: context
        ) { [onFailure] in onFailure(url, $0) }
        tunnels.withLock { $0.append(Tunnel(url: url, tunnel: tunnel)) }
        return tunnel
    }

    func close() {
        let tunnels = tunnels.withLock { tunnels in
            defer { tunnels = [] }
            return tunnels
        }
        for open in tunnels { open.tunnel.close() }
    }
}
