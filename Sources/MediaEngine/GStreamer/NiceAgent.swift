internal import CGStreamer

/// An agent of libnice with one stream of one component: all media is bundled, and RTCP is multiplexed.
final class NiceAgent: Sendable {
    /// A change that libnice signals, on any thread.
    enum Event: Sendable {
        /// A local candidate as a line `a=candidate:…`.
        case candidate(String)
        /// No local candidate follows.
        case gathered
        case state(State)
        case selectedPair
    }

    /// The values of `NiceComponentState`.
    enum State: UInt32, Sendable { case disconnected, gathering, connecting, connected, ready, failed }

    let object: AnyGObject
    /// libnice's number of the stream.
    let stream: UInt32
    private var native: OpaquePointer { OpaquePointer(object.ref.pointer) }
    private static let component = NICE_COMPONENT_TYPE_RTP.rawValue

    /// Makes an agent that nominates aggressively: the first pair that works carries media, and a better one replaces it.
    ///
    /// Regular nomination, the default of `webrtcbin`, waits until slower checks have ended: 2 s behind two NATs. Consent freshness (RFC 7675)
    /// is off, since libnice 0.1.21 ends a living connection on a bad network with it; the call has its own rule for a silent peer.
    init(_ tuning: TransportTuning, addresses: [String]) throws(MediaError) {
        guard
            let agent = nice_agent_new_full(
                IceThread.shared.context, NICE_COMPATIBILITY_RFC5245, NICE_AGENT_OPTION_ICE_TRICKLE)
        else { throw .pluginMissing(element: "libnice") }
        object = AnyGObject(ref: GObjectRef(owning: UnsafeMutableRawPointer(agent).cast()))
        try object.set("ice-tcp", String(tuning.allowsIceTCP))
        try object.set("upnp", String(tuning.allowsUPnP))
        try object.set("stun-pacing-timer", String(tuning.iceCheckPacingMs))
        // Three checks of a pair are libnice's default: with 20 % loss in each direction every tenth call found no path.
        try object.set("stun-max-retransmissions", "6")
        // Of requests to servers only: libnice repeats a check after 500 ms in any case. Each wait is twice as long as the one before.
        try object.set("stun-initial-timeout", "100")
        for text in addresses {
            var address = NiceAddress()
            nice_address_init(&address)
            if nice_address_set_from_string(&address, text) != 0 { nice_agent_add_local_address(agent, &address) }
        }
        stream = nice_agent_add_stream(agent, 1)
        if let ports = tuning.localPorts {
            nice_agent_set_port_range(agent, stream, Self.component, guint(ports.lowerBound), guint(ports.upperBound))
        }
    }

    deinit {
        // libnice reads its sockets on that thread until then, and does not lock what it reads for (`component_io_cb`): it must not be freed meanwhile.
        IceThread.shared.run { [object] in withExtendedLifetime(object) {} }
    }

    /// Calls `handler` with all events, on any thread, also inside calls of this agent; it must not keep this agent alive.
    func watch(_ handler: @escaping @Sendable (Event) -> Void) {
        object.watch("new-candidate-full") { arguments in
            if let line = Self.line(of: arguments) { handler(.candidate(line)) }
        }
        object.watch("candidate-gathering-done") { _ in handler(.gathered) }
        object.watch("component-state-changed") { arguments in
            if let state = arguments.uint(3).flatMap(State.init) { handler(.state(state)) }
        }
        object.watch("new-selected-pair-full") { _ in handler(.selectedPair) }
    }

    private static func line(of arguments: borrowing SignalArguments) -> String? {
        // libnice emits itself as a plain object.
        guard let agent = arguments.object(0, of: g_object_get_type()),
            let candidate = arguments.boxed(1, of: nice_candidate_get_type()),
            let line = nice_agent_generate_local_candidate_sdp(OpaquePointer(agent.pointer), candidate.cast())
        else { return nil }
        defer { g_free(line) }
        return String(cString: line)
    }

    /// Whether this end nominates (RFC 8445 section 6.1.1).
    var isControlling: Bool {
        object.get("controlling-mode")?.boolValue ?? false
    }

    func setControlling(_ isControlling: Bool) { try? object.set("controlling-mode", String(isControlling)) }

    func setLocalCredentials(_ fragment: String, _ password: String) {
        nice_agent_set_local_credentials(native, stream, fragment, password)
    }

    /// The username fragment and the password of this end; libnice makes them up.
    var localCredentials: (fragment: String, password: String)? {
        var (fragment, password): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        guard nice_agent_get_local_credentials(native, stream, &fragment, &password) != 0 else { return nil }
        defer {
            g_free(fragment)
            g_free(password)
        }
        guard let fragment, let password else { return nil }
        return (String(cString: fragment), String(cString: password))
    }

    func setRemoteCredentials(_ fragment: String, _ password: String) {
        nice_agent_set_remote_credentials(native, stream, fragment, password)
    }

    /// Asks this server for server-reflexive candidates; libnice looks up a name while it gathers.
    func use(stunServer host: String, port: Int) throws(MediaError) {
        try object.set("stun-server", text: host)
        try object.set("stun-server-port", String(port))
    }

    /// Asks this server for a relayed candidate.
    func use(_ relay: IceServers.Relay) {
        nice_agent_set_relay_info(
            native, stream, Self.component, relay.url.host, guint(relay.url.port), relay.username, relay.credential,
            relay.url.transport == "tcp" ? NICE_RELAY_TYPE_TURN_TCP : NICE_RELAY_TYPE_TURN_UDP)
    }

    /// Gathers no other candidates than relayed ones.
    func forceRelay() throws(MediaError) { try object.set("force-relay", "true") }

    /// Starts to gather; false when no socket can be opened.
    func gather() -> Bool { nice_agent_gather_candidates(native, stream) != 0 }

    /// Adds a candidate of the peer, a line `a=candidate:…` with a numeric address; ignores others, and those for RTCP.
    func add(remoteCandidate line: String) {
        guard let candidate = nice_agent_parse_remote_candidate_sdp(native, stream, line) else { return }
        defer { nice_candidate_free(candidate) }
        guard candidate.pointee.component_id == Self.component else { return }
        let list = g_slist_append(nil, candidate)
        defer { g_slist_free(list) }
        nice_agent_set_remote_candidates(native, stream, Self.component, list)
    }

    /// Whether a pair works.
    var isConnected: Bool {
        let state = nice_agent_get_component_state(native, stream, Self.component)
        return state == NICE_COMPONENT_STATE_CONNECTED || state == NICE_COMPONENT_STATE_READY
    }

    /// The pair that carries packets; nil before there is one.
    var selectedPair: IceCandidatePair? {
        var (local, remote): (UnsafeMutablePointer<NiceCandidate>?, UnsafeMutablePointer<NiceCandidate>?)
        // The candidates belong to the agent, which another thread may change: they are read at once, and only plain values.
        guard nice_agent_get_selected_pair(native, stream, Self.component, &local, &remote) != 0, let local, let remote
        else { return nil }
        return IceCandidatePair(
            local: Self.candidate(local.pointee), remote: Self.candidate(remote.pointee),
            base: Self.address(local.pointee.base_addr))
    }

    private static func candidate(_ candidate: NiceCandidate) -> IceCandidatePair.Candidate {
        let type: IceCandidatePair.CandidateType =
            switch candidate.type {
            case NICE_CANDIDATE_TYPE_SERVER_REFLEXIVE: .serverReflexive
            case NICE_CANDIDATE_TYPE_PEER_REFLEXIVE: .peerReflexive
            case NICE_CANDIDATE_TYPE_RELAYED: .relay
            default: .host
            }
        var address = candidate.addr
        return .init(
            type: type, address: Self.address(candidate.addr), port: Int(nice_address_get_port(&address)),
            transport: candidate.transport == NICE_CANDIDATE_TRANSPORT_UDP ? .udp : .tcp,
            priority: Int(candidate.priority))
    }

    /// How this end reaches the TURN server of its selected candidate, and the server's address and port; nil for other candidates.
    var selectedRelay: (transport: IceCandidatePair.TransportProtocol, server: IceEndpoint)? {
        var (local, remote): (UnsafeMutablePointer<NiceCandidate>?, UnsafeMutablePointer<NiceCandidate>?)
        guard nice_agent_get_selected_pair(native, stream, Self.component, &local, &remote) != 0, let local,
            local.pointee.type == NICE_CANDIDATE_TYPE_RELAYED
        else { return nil }
        var server = NiceAddress()
        nice_candidate_relay_address(local, &server)
        // libnice shows it in the type preference only (`candidate.c`): 30 by UDP, 20 by TCP.
        let isUDP = local.pointee.priority >> 24 > 20
        return (isUDP ? .udp : .tcp, IceEndpoint(host: Self.address(server), port: Int(nice_address_get_port(&server))))
    }

    private static func address(_ address: NiceAddress) -> String {
        var address = address
        var text = [CChar](repeating: 0, count: Int(NICE_ADDRESS_STRING_LEN))
        nice_address_to_string(&address, &text)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Sends a packet through the selected pair; without one it is lost.
    func send(_ packet: [UInt8]) {
        packet.withUnsafeBytes { bytes in
            let characters = bytes.bindMemory(to: CChar.self)
            _ = nice_agent_send(native, stream, Self.component, guint(bytes.count), characters.baseAddress)
        }
    }

    /// No candidate of the peer follows.
    func endRemoteCandidates() { nice_agent_peer_candidate_gathering_done(native, stream) }

    /// Signs off from the TURN servers; the sockets close when the agent is freed.
    ///
    /// Returns when the servers have answered, or libnice has given up, some 10 s later. Nothing may shorten that: a stream that is removed meanwhile
    /// loses its sockets, and libnice aborts when it repeats a request (`socket_send_messages: assertion failed: (sock->priv != NULL)`).
    func signOff() async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            // libnice calls back on the thread that asks.
            IceThread.shared.run { [self] in
                // A TURN server may close its TCP connection as soon as this end has signed off. libnice then removes the selected pair, and aborts
                // if others were nominated (`priv_prune_pending_checks: assertion failed: (priority > 0)`). A restart leaves no pairs.
                nice_agent_restart_stream(native, stream)
                let box = Unmanaged.passRetained(Completion { done.resume() }).toOpaque()
                nice_agent_close_async(
                    native,
                    { _, _, data in
                        if let data { Unmanaged<Completion>.fromOpaque(data).takeRetainedValue().run() }
                    }, box)
            }
        }
    }

    private final class Completion: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
