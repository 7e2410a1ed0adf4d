internal import LocalNetwork
internal import Synchronization

/// One pipeline with one `webrtcbin`, tuned and monitored, without any media yet.
final class PeerPipeline: Sendable {
    let pipeline: Pipeline
    let webrtc: Element
    let activity: PacketActivity
    let fingerprintCheck = UncheckedFingerprint()
    let jitterBuffers: JitterBuffers
    let retransmitted = RetransmittedPackets()
    /// The tracks of what the peer sends.
    let routes = StreamRoutes()
    let packetNumbers = UnboundedPacketNumbers()
    private let packetReports: UnboundedPacketReports
    let receptionReports = ReceptionReports()
    private let connections: [SignalConnection]
    private let rtpSession: FoundElement
    private let rtxSender: FoundElement
    /// The gathering of local candidates.
    let gathering: EndlessGathering
    /// The paths to the TURN servers; closed after ``ice``, which still signs off from them.
    let turnServers: FragileTurnOverTCP
    /// Closed after the pipeline, and before the paths to the TURN servers.
    let ice: IceAgent

    /// The maximum number of streams (SSRCs) received from the peer at a time; one of each track is shown.
    static let maximumStreams = 32

    /// The reports of its callbacks, from any thread.
    enum Report: Sendable {
        case event(PeerConnectionEvent)
        case peerCertificate(String)
        /// DTLS has the keys for sending: from now on webrtcbin does not block senders.
        case readyToSend
        case bus(BusMessage)
        /// Another path carries the packets.
        case pathChanged(IcePathChange)
        /// The peer has opened a data channel.
        case dataChannel(DataChannel)
        /// A warning for the log, such as an ignored part of the configuration.
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
        let addresses = tuning.addresses(in: tuning.network)
        let servers = try IceServers(configuration.iceServers, policy: policy)
        for error in servers.unusable { report(.warning("\(error)")) }
        let association = configuration.allowsDataChannels && SharedAssociation.isNeeded ? SharedAssociation() : nil
        let relays = RelayWatch(servers: servers.relays.count, isNeeded: policy == .relay, report: report)
        let turnServers = FragileTurnOverTCP(
            addresses: addresses, trustRootsFile: configuration.trustRootsFile
        ) { relays.noteFailure(of: $0, $1) }
        let pipeline = try Pipeline(name: "call-\(configuration.label)", timeBase: .clock)
        let gathering = EndlessGathering {
            relays.conclude()
            report(.event(PeerConnectionEvent(.localCandidate(.endOfCandidates))))
        }
        let reachable = try turnServers.reach(servers.relays)
        let settings = IcePath.Settings(
            tuning: tuning, stun: servers.stun, relays: reachable, tunnels: turnServers.endpoints, policy: policy,
            network: configuration.network)
        let activity = PacketActivity(tuning)
        self.activity = activity
        let ice = try IceAgent(settings) { news in
            switch news {
            case .candidate(let candidate):
                relays.note(candidate)
                report(.event(PeerConnectionEvent(.localCandidate(candidate))))
            case .connected: report(.event(PeerConnectionEvent(.iceConnected)))
            case .failed(let text): report(.event(PeerConnectionEvent(.failed(.transportFailed(text: text)))))
            case .gathered: gathering.end()
            case .parameters(let parameters): report(.event(PeerConnectionEvent(.iceParameters(parameters))))
            case .pathChanged(let change):
                activity.changePath()
                report(.pathChanged(change))
            }
        }
        try activity.watch(ice.webrtc.source)
        let webrtc = try Element(webrtcbin: "webrtcbin", ice: ice.webrtc)
        let jitterBuffers = JitterBuffers(waitMs: tuning.jitterBufferMs)
        try webrtc.set("bundle-policy", "max-bundle")
        let latency = tuning.jitterBufferFastStart ? StalledFastStart.initialLatencyMs : tuning.jitterBufferMs
        try webrtc.set("latency", String(latency))
        // Each stream of the peer costs a thread; packets of further streams are dropped.
        try webrtc.child(madeBy: "rtpbin")?.set("max-streams", String(Self.maximumStreams))
        // Otherwise sender reports wait for the latency of a sink, which the ICE sink is not, and contain wrong RTP times.
        try webrtc.child(madeBy: "rtpbin")?.set("rtcp-sync-send-time", "false")
        self.jitterBuffers = jitterBuffers
        self.gathering = gathering
        self.turnServers = turnServers
        self.ice = ice
        self.pipeline = pipeline
        self.webrtc = webrtc
        let (retransmitted, numbers, check, routes) = (retransmitted, packetNumbers, fingerprintCheck, routes)
        let (rtpSession, rtxSender) = (FoundElement(), FoundElement())
        (self.rtpSession, self.rtxSender) = (rtpSession, rtxSender)
        packetReports = UnboundedPacketReports {
            rtpSession.element.flatMap(RtpSessionStatistics.init)?.packetsSent ?? 0
        }
        let (packetReports, receptionReports) = (packetReports, receptionReports)
        connections =
            [
                webrtc.connect("deep-element-added") { arguments in
                    guard let element = arguments.element(2) else { return }
                    do throws(MediaError) {
                        if element.factoryName == "rtpsession" { rtpSession.found(element) }
                        if element.factoryName == "rtpjitterbuffer" {
                            try jitterBuffers.add(element)
                            try routes.watch(element)
                        }
                        if element.factoryName == "rtprtxsend" {
                            rtxSender.found(element)
                            try retransmitted.limit(element)
                        }
                        // Reads every received packet, so it is there only where reports are sent.
                        if tuning.sendsTransportFeedback, element.factoryName == "dtlssrtpdec" {
                            numbers.bound(try element.pad("rtp_src"))
                        }
                        if element.factoryName == "dtlssrtpdec" {
                            packetReports.bound(try element.pad("rtcp_src"))
                            receptionReports.read(try element.pad("rtcp_src"))
                        }
                        if element.factoryName == "rtpulpfecenc", let bin = element.parent {
                            try UnusedFecEncoder.bypass(bin) {
                                report(.event(PeerConnectionEvent(.failed($0))))
                            }
                        }
                        if ["sctpenc", "sctpdec"].contains(element.factoryName) { try association?.number(element) }
                        try Self.tune(element, tuning, certificate, check, report)
                    } catch {
                        report(.event(PeerConnectionEvent(.failed(error))))
                    }
                },
                webrtc.connect("on-data-channel") { arguments in
                    guard let native = arguments.dataChannel(1) else { return }
                    report(.dataChannel(DataChannel(opened: native)))
                },
            ]
        let limiter = WarningLimiter()
        pipeline.bus.watch { message in if limiter.admits(message) { report(.bus(message)) } }
        pipeline.bin.add(webrtc)
    }

    /// Uses other STUN and TURN servers for the paths of later ICE restarts.
    func use(_ servers: [StunTurnServer], policy: IceTransportPolicy) throws(MediaError) {
        let servers = try IceServers(servers, policy: policy)
        let relays = try turnServers.reach(servers.relays)
        ice.use(stun: servers.stun, relays: relays, tunnels: turnServers.endpoints)
    }

    deinit { ice.silence(keeping: webrtc) }

    /// The RTP session that all media of the bundle share; nil before negotiation.
    var session: Element? { rtpSession.element }

    /// The element that sends packets again; nil before negotiation, and when nothing is sent again.
    var retransmissionSender: Element? { rtxSender.element }

    /// Tunes an element inside webrtcbin when webrtcbin makes it.
    private static func tune(
        _ element: Element, _ tuning: TransportTuning, _ certificate: DtlsCertificate, _ check: UncheckedFingerprint,
        _ report: @escaping @Sendable (Report) -> Void
    ) throws(MediaError) {
        switch element.factoryName {
        case "rtpsession":
            try SlowFeedback.apply(to: element, tuning)
            if tuning.sendsTransportFeedback { try TransportFeedback.begin(in: element) }
        case "queue": BlockingReceiveQueue.keepLeaky(element)
        case "rtpstorage": try UnusedPacketStorage.disable(element)
        case "rtpfunnel": try RepeatedStreamEvents.end(behindBundle: element)
        case "funnel": try RepeatedStreamEvents.end(in: element)
        case "clocksync": try PacedSending.sendAtOnce(element)
        case "dtlssrtpdec":
            try SharedCertificate.replace(in: element, by: certificate)
            element.watch("notify::peer-pem") { arguments in
                guard let pem = arguments.element(0)?.get("peer-pem")?.stringValue, !pem.isEmpty else { return }
                report(.peerCertificate(pem))
            }
        case "sctpenc": EmptyMessage.apply(to: element)
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

/// Limits the warnings, since a peer can cause one with each packet and so fill memory and log.
private final class WarningLimiter: Sendable {
    /// The maximum number of warnings that one connection reports.
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

/// An element inside webrtcbin, once webrtcbin has made it.
private final class FoundElement: Sendable {
    private let storage = Mutex<Element?>(nil)

    var element: Element? { storage.withLock { $0 } }

    func found(_ element: Element) { storage.withLock { $0 = element } }
}
