internal import Synchronization

/// One pipeline around one `webrtcbin`, tuned and watched, without any media yet.
final class PeerPipeline: Sendable {
    let pipeline: Pipeline
    let webrtc: Element
    let activity = PacketActivity()
    let fingerprintCheck = UncheckedFingerprint()
    let jitterBuffers = JitterBufferWatch()
    private let connections: [SignalConnection]
    private let rtpSession: FoundElement
    /// The search for this end's candidates.
    let gathering: EndlessGathering
    /// The ways to the TURN servers; to be closed after the pipeline, which tells them that it leaves.
    let turnServers: UnencryptedTurns
    /// The way to the STUN servers; to be closed before the pipeline, whose sockets it uses.
    let stunServers: SingleStunServer

    /// The most streams (SSRCs) of the peer that are received at a time; one of each kind is shown.
    static let maximumStreams = 32

    /// What its callbacks report, from whichever thread.
    enum Report: Sendable {
        case event(PeerConnectionEvent)
        case peerCertificate(String)
        /// DTLS gave the keys for sending: from here on webrtcbin does not block who sends.
        case readyToSend
        case bus(BusMessage)
        /// The peer has opened a data channel.
        case dataChannel(DataChannel)
        /// Something in the configuration was passed over.
        case warning(String)
    }

    /// - Throws: ``MediaError/pluginMissing(element:)`` and the like.
    init(
        _ configuration: PeerConnectionConfiguration, certificate: DtlsCertificate,
        report: @escaping @Sendable (Report) -> Void
    ) throws(MediaError) {
        // webrtcbin itself only logs that these are missing.
        for element in ["nicesrc", "dtlssrtpdec", "srtpdec", "rtpbin"] where !GStreamerLibrary.hasElement(element) {
            throw .pluginMissing(element: element)
        }
        let (tuning, policy) = (configuration.tuning, configuration.iceTransportPolicy)
        let addresses = tuning.localAddresses.isEmpty ? LocalAddresses.global() : tuning.localAddresses
        let servers = try IceServers(configuration.iceServers, policy: policy)
        for error in servers.unusable { report(.warning("\(error)")) }
        let association = configuration.allowsDataChannels && SharedAssociation.isNeeded ? SharedAssociation() : nil
        let relays = RelayWatch(servers: servers.relays.count, isNeeded: policy == .relay, report: report)
        let turnServers = try UnencryptedTurns(
            servers.relays, addresses: addresses, trustRootsFile: configuration.trustRootsFile
        ) { relays.noteFailure(of: $0, $1) }
        let pipeline = try Pipeline(name: "call-\(configuration.label)", timeBase: .clock)
        let webrtc = try Element("webrtcbin", name: "webrtcbin")
        try webrtc.set("bundle-policy", "max-bundle")
        let latency = tuning.jitterBufferFastStart ? StalledFastStart.initialLatencyMs : tuning.jitterBufferMs
        try webrtc.set("latency", String(latency))
        // Each stream of the peer's costs a thread; packets of further ones are dropped.
        try webrtc.child(madeBy: "rtpbin")?.set("max-streams", String(Self.maximumStreams))
        let agent = try Self.tuneIce(of: webrtc, tuning, addresses)
        let stunServers = try SingleStunServer(
            policy == .relay ? [] : servers.stun, addresses: addresses, sockets: IceSockets(of: agent))
        if let uri = stunServers.uri { try webrtc.set("stun-server", text: uri) }
        for uri in turnServers.uris { webrtc.emit("add-turn-server", [.string(uri)]) }
        try webrtc.set("ice-transport-policy", policy.rawValue)
        let gathering = EndlessGathering {
            relays.conclude()
            report(.event(PeerConnectionEvent(.localCandidate(.endOfCandidates))))
        }
        self.gathering = gathering
        self.turnServers = turnServers
        self.stunServers = stunServers
        self.pipeline = pipeline
        self.webrtc = webrtc
        let (activity, jitterBuffers, check) = (activity, jitterBuffers, fingerprintCheck)
        let (rtpSession, ice) = (FoundElement(), IceWatch())
        self.rtpSession = rtpSession
        connections =
            [
                webrtc.connect("deep-element-added") { arguments in
                    guard let element = arguments.element(2) else { return }
                    do throws(MediaError) {
                        if element.factoryName == "rtpsession" { rtpSession.found(element) }
                        if element.factoryName == "rtpjitterbuffer" { try jitterBuffers.watch(element) }
                        if ["sctpenc", "sctpdec"].contains(element.factoryName) { try association?.number(element) }
                        try Self.tune(element, tuning, certificate, activity, check, report)
                    } catch {
                        report(.event(PeerConnectionEvent(.failed(error))))
                    }
                },
                webrtc.connect("on-data-channel") { arguments in
                    guard let native = arguments.dataChannel(1) else { return }
                    report(.dataChannel(DataChannel(opened: native)))
                },
                webrtc.connect("on-ice-candidate") { arguments in
                    guard let mLine = arguments.uint(1), let text = arguments.string(2) else { return }
                    // The end of them; older versions do not tell it so (UnsignalledEndOfCandidates).
                    guard !text.isEmpty else { return gathering.end() }
                    let candidate = IceCandidate(mLine: Int(mLine), candidate: text)
                    relays.note(candidate)
                    report(.event(PeerConnectionEvent(.localCandidate(candidate))))
                },
                webrtc.connect("notify::ice-connection-state") { arguments in
                    let state = arguments.element(0)?.get("ice-connection-state")?.intValue
                    if let event = ice.event(for: state) { report(.event(PeerConnectionEvent(event))) }
                },
            ]
            + [
                UnsignalledEndOfCandidates.watch(webrtc) { gathering.end() }
            ].compactMap { $0 }
        let limiter = WarningLimiter()
        pipeline.bus.watch { message in if limiter.admits(message) { report(.bus(message)) } }
        pipeline.bin.add(webrtc)
    }

    /// The RTP session that all media of the bundle share; nil before negotiation.
    var session: Element? { rtpSession.element }

    /// Returns libnice's agent.
    private static func tuneIce(
        of webrtc: Element, _ tuning: TransportTuning, _ addresses: [String]
    ) throws(MediaError) -> AnyGObject {
        guard let ice = webrtc.object("ice-agent"), let agent = ice.object("agent") else {
            throw .noPad(element: "webrtcbin", pad: "ice-agent")
        }
        try ice.set("ice-tcp", String(tuning.allowsIceTCP))
        try agent.set("upnp", String(tuning.allowsUPnP))
        try agent.set("stun-pacing-timer", String(tuning.iceCheckPacingMs))
        if let ports = tuning.localPorts {
            try ice.set("min-rtp-port", String(ports.lowerBound))
            try ice.set("max-rtp-port", String(ports.upperBound))
        }
        for address in addresses { ice.emit("add-local-ip-address", [.string(address)]) }
        return agent
    }

    /// Tunes what webrtcbin makes inside itself, as it makes it.
    private static func tune(
        _ element: Element, _ tuning: TransportTuning, _ certificate: DtlsCertificate, _ activity: PacketActivity,
        _ check: UncheckedFingerprint, _ report: @escaping @Sendable (Report) -> Void
    ) throws(MediaError) {
        switch element.factoryName {
        case "rtpsession": try SlowFeedback.mend(element, tuning)
        case "rtpjitterbuffer":
            if tuning.jitterBufferFastStart {
                try StalledFastStart.restoreLatency(of: element, to: tuning.jitterBufferMs)
            }
        case "clocksync": try PacedSending.sendAtOnce(element)
        case "nicesrc": try activity.watch(element)
        case "dtlssrtpdec":
            try SharedCertificate.replace(in: element, by: certificate)
            element.watch("notify::peer-pem") { arguments in
                guard let pem = arguments.element(0)?.get("peer-pem")?.stringValue, !pem.isEmpty else { return }
                report(.peerCertificate(pem))
            }
        case "sctpenc": EmptyMessage.mend(element)
        case "sctpdec":
            try check.hold(element.pad("sink"))
            FatalMessage.contain(element)
            UnboundedStreams.limit(element) {
                report(
                    .warning(
                        "the peer uses more than \(UnboundedStreams.maximum) data streams; no more of its data is taken"
                    ))
            }
        case nil: UnawaitedData.drop(from: element)
        case "dtlssrtpenc": element.watch("on-key-set") { _ in report(.readyToSend) }
        default: break
        }
    }
}

/// Keeps the warnings that a peer can cause with each packet from filling memory and log.
private final class WarningLimiter: Sendable {
    /// The most warnings that one connection reports.
    private static let maximum = 20
    private let count = Mutex(0)

    func admits(_ message: BusMessage) -> Bool {
        guard case .warning = message else { return true }
        return count.withLock { count in
            count += 1
            return count <= Self.maximum
        }
    }
}

/// An element that webrtcbin makes inside itself, once it has.
private final class FoundElement: Sendable {
    private let storage = Mutex<Element?>(nil)

    var element: Element? { storage.withLock { $0 } }

    func found(_ element: Element) { storage.withLock { $0 = element } }
}
