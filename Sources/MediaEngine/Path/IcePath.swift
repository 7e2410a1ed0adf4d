internal import LocalNetwork
internal import Synchronization

/// One way to the peer: an agent of libnice, with its credentials and its STUN servers.
///
/// A path is bound to the addresses that the machine had when the path was made. So a change of the network replaces it (``IceAgent/restart(_:)``).
final class IcePath: Sendable {
    /// What the paths of one connection have in common.
    struct Settings: Sendable {
        var tuning: TransportTuning
        var stun: [IceServerURL]
        /// The TURN servers as libnice reaches them.
        var relays: [IceServers.Relay]
        /// The addresses at which libnice reaches those over TLS.
        var tunnels: Set<IceEndpoint> = []
        var policy: IceTransportPolicy
        /// What all paths lead through; nil: nothing.
        var network: NetworkEmulator?
    }

    /// The number of the ICE restart that made it; 0 is the first path.
    let restart: Int
    let nice: NiceAgent
    /// When it was made.
    let start = ContinuousClock.now
    /// The network that it was made for.
    private let network: NetworkSnapshot
    private let tuning: TransportTuning
    /// The local ends of the connections to TURN servers over TLS.
    private let tunnels: Set<IceEndpoint>
    private let stunServers: SingleStunServer
    /// The peer's credentials.
    private let remote = Mutex<IceParameters?>(nil)
    /// How often the selected pair was checked.
    private let checks = Mutex<UInt32>(0)
    /// For checks that libnice does not make.
    private let tieBreaker = UInt64.random(in: 0 ... .max)
    /// The peer's address, and the one that packets to it would leave from when the pair was selected.
    private let route = Mutex<(peer: String, source: String?)?>(nil)

    /// Makes a path on these addresses; nil for all that the settings allow.
    init(_ restart: Int, _ settings: Settings, addresses chosen: [String]? = nil) throws(MediaError) {
        self.restart = restart
        let network = settings.tuning.network
        self.network = network
        (tuning, tunnels) = (settings.tuning, settings.tunnels)
        let addresses = chosen ?? tuning.addresses(in: network)
        nice = try NiceAgent(settings.tuning, addresses: addresses)
        stunServers = try SingleStunServer(
            settings.policy == .relay ? [] : settings.stun, addresses: addresses, sockets: IceSockets(of: nice))
        if let server = stunServers.server { try nice.use(stunServer: server.host, port: server.port) }
        for relay in settings.relays {
            for url in LostTurnPort.urls(of: relay.url, on: addresses) { nice.use(relay.moved(to: url)) }
        }
        if settings.policy == .relay { try nice.forceRelay() }
    }

    /// Whether another path should replace it, since the network has changed.
    ///
    /// Only on the ``IceThread``, where alone the pair may be read.
    var isOutdated: Bool {
        let now = tuning.network
        let addresses = tuning.addresses(in: now)
        // Nothing can be done without an address.
        guard !addresses.isEmpty else { return false }
        guard let pair = nice.selectedPair else { return network != now }
        guard pair.local.type != .relay else { return network.sources != now.sources }
        guard addresses.contains(pair.base) else { return true }
        // Packets leave from another address now: the interface of the path may be about to go. The kernel may prefer another address
        // than ICE from the start, so only a change counts.
        return newSource != nil
    }

    /// Notes which address the kernel prefers for the peer's; only on the ``IceThread``.
    func noteRoute() {
        guard let peer = nice.selectedPair?.remote.address else { return }
        let source = source(toward: peer)
        route.withLock { $0 = (peer, source) }
    }

    /// The address that packets to the peer leave from now, if it is another one than when the pair was selected.
    private var newSource: String? {
        guard let route = route.withLock({ $0 }) else { return nil }
        let source = source(toward: route.peer)
        return source == route.source ? nil : source
    }

    private func source(toward peer: String) -> String? {
        NetworkSnapshot.source(toward: peer, through: tuning.localInterfaces)
    }

    /// The addresses for the path that replaces this one; nil for all.
    ///
    /// When packets leave through another interface now, only those of that interface: ICE might choose the former one, which may be about to go.
    var addressesForNext: [String]? {
        guard tuning.localAddresses.isEmpty, let newSource else { return nil }
        return [newSource] + tuning.network.sources.compactMap(\.self).filter { $0 != newSource }
    }

    /// Whether the peer's candidates with this fragment belong to it.
    func belongs(toPeer fragment: String) -> Bool { remote.withLock { $0?.fragment == fragment } }

    /// Gathers candidates; not at all without an address, since libnice would then use all interfaces of its own accord.
    func gather() { if !tuning.addresses(in: network).isEmpty { _ = nice.gather() } }

    /// Uses the peer's credentials.
    func set(_ parameters: IceParameters) {
        remote.withLock { $0 = parameters }
        nice.setRemoteCredentials(parameters.fragment, parameters.password)
    }

    /// The pair that carries packets, with the way to its TURN server; nil before there is one.
    ///
    /// Only on the ``IceThread``.
    var selectedPair: IceCandidatePair? {
        guard var pair = nice.selectedPair else { return nil }
        if let relay = nice.selectedRelay {
            pair.local.relayProtocol = tunnels.contains(relay.server) ? .tls : relay.transport
        }
        return pair
    }

    /// A connectivity check that tells the peer this end's present address, should a NAT have replaced it; nil if the packets leave from a TURN server.
    ///
    /// Only on the ``IceThread``.
    func check() -> [UInt8]? {
        guard let remote = remote.withLock(\.self), let pair = nice.selectedPair, pair.local.type != .relay else {
            return nil
        }
        let number = checks.withLock { checks in
            checks = min(checks + 1, 0xff_ffff)
            return checks
        }
        // Higher than RFC 8445 section 7.1.1 says (110 << 24), and than that of the check before: a peer moves to a better pair only.
        return nice.connectivityCheck(
            priority: 125 << 24 | number, tieBreaker: tieBreaker, peerFragment: remote.fragment,
            peerPassword: remote.password)
    }

    /// Whether a pair works.
    var isConnected: Bool { nice.isConnected }

    /// What libnice asks for server-reflexive candidates.
    var stunServer: IceEndpoint? { stunServers.server }

    /// Sends no further requests of ``SingleStunServer``, which uses the sockets.
    func closeStunServers() { stunServers.close() }

    /// Signs off from the TURN servers; the sockets close when the path is freed.
    func close(_ webrtc: WebRTCIce) async {
        closeStunServers()
        await IceThread.shared.finish { [nice] in webrtc.stopReceiving(from: nice) }
        await nice.signOff()
    }
}
