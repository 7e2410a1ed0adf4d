public import ArgumentParser
internal import CallAgent
internal import LocalNetwork
public import MediaEngine

/// How a command's calls connect to the peer.
struct IceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A STUN or TURN server in addition to those of the signaling server (repeatable). Forms: stun:HOST[:PORT], "
                + "turn:USER:PASSWORD@HOST[:PORT][?transport=tcp], turns:USER:PASSWORD@HOST[:PORT] for TLS. A --config file hides the password from the process list.",
            valueName: "stun:HOST|turn:USER:PASSWORD@HOST"))
    var iceServer: [IceServerArgument] = []

    @Option(
        help: ArgumentHelp(
            "Which candidates may be used. relay hides this machine's addresses from the peer, and needs a TURN server.",
            valueName: "all|relay"))
    var icePolicy: IceTransportPolicy = .all

    @Flag(
        help:
            "Look up the names that browsers send instead of private addresses (….local), by multicast DNS. Needs libnss-mdns. Default: pass over such candidates."
    )
    var mdns = false

    @Option(
        help: ArgumentHelp(
            "A local address or network interface to use for media (repeatable). The addresses of an interface may change during a call. "
                + "Default: all global addresses, and loopback if the signaling host is loopback.",
            valueName: "address|interface"))
    var iceInterface: [String] = []

    @Option(
        help: ArgumentHelp(
            "The UDP ports to use for media on this machine, such as 40000-40099. Each call uses one for each local address. "
                + "Default: the system chooses.",
            valueName: "40000-40099"))
    var icePorts: PortRangeArgument?

    @Option(
        help: ArgumentHelp(
            "Send all candidates in the description (vanilla ICE) instead of one by one, for peers that cannot trickle. Wait this long for "
                + "them; after half of it a relay candidate is enough. 0s waits for all. Default: trickle.",
            valueName: "4s|500ms"))
    var iceGatherTimeout: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Send through an emulated network, to test what calls do there: \(NetworkArgument.form). "
                + "It affects what this end sends, but not ICE's checks, requests to TURN servers and signaling.",
            valueName: "conditions"),
        transform: NetworkArgument.init(parsing:))
    var network: NetworkArgument?

    func apply(to configuration: inout MediaConfiguration, signalingHost: String) throws {
        configuration.iceServers = iceServer.map(\.server)
        try StunTurnServer.check(iceServer.map(\.checked))
        configuration.iceTransportPolicy = icePolicy
        configuration.looksUpMulticastNames = mdns
        configuration.network = network.map { NetworkEmulator($0.schedule) }
        if let iceGatherTimeout {
            configuration.candidateDelivery = .inDescription(timeoutMs: iceGatherTimeout.milliseconds)
        }
        configuration.tuning.localPorts = icePorts?.ports
        configuration.tuning.usesLoopback = LocalAddresses.isLoopback(signalingHost)
        try choose(in: &configuration.tuning, signalingHost)
    }

    /// Uses what the user chose; otherwise all of this machine, whatever its network will be.
    private func choose(in tuning: inout TransportTuning, _ signalingHost: String) throws {
        tuning.localAddresses = iceInterface.filter(LocalAddresses.isNumeric)
        tuning.localInterfaces = iceInterface.filter { !LocalAddresses.isNumeric($0) }
        if let strange = tuning.localInterfaces.first(where: { !LocalAddresses.hasInterface($0) }) {
            throw Failure(
                .prerequisite,
                "--ice-interface: '\(strange)' is no IP address, and this machine has no interface with that name; "
                    + "use an address such as 192.0.2.1, or a name such as eth0")
        }
        guard tuning.localAddresses.isEmpty || tuning.localInterfaces.isEmpty else {
            throw Failure(.usage, "--ice-interface takes addresses or interfaces, not both")
        }
        if let strange = tuning.localAddresses.first(where: { !LocalAddress.isHere($0) }) {
            let here = (["127.0.0.1"] + LocalAddresses.global()).joined(separator: ", ")
            throw Failure(
                .prerequisite, "--ice-interface: this machine does not have the address \(strange); it has \(here)")
        }
        guard iceInterface.isEmpty, !signalingHost.isEmpty, !tuning.usesLoopback, LocalAddresses.global().isEmpty else {
            return
        }
        // Without a host the URL of the signaling server is wrong, which is the better complaint.
        throw Failure(
            .prerequisite,
            "this machine has no address to receive media on; bring a network interface up or name one with --ice-interface"
        )
    }
}

extension IceTransportPolicy: ExpressibleByArgument {}
