/// The pipeline and the tracks of a peer connection, built once its codecs are known.
///
/// Used only on the executor of its ``PeerConnection``, except in GStreamer callbacks.
final class PeerMedia: Sendable {
    /// The track and the codec of one m-line.
    struct Choice: Sendable {
        let track: TrackID
        let codec: Codec
        let payloadType: Int
        /// The profile in the offer, which the answer repeats.
        var profile: String?
        /// Whether the peer declared that it sends two channels.
        var isStereo = false
        /// In an offer all that may be used, best first; after the negotiation at most one.
        var telephoneEvents: [TelephoneEvent] = []
        /// The payload type of retransmissions (RFC 4588); nil when one end does not know them.
        var retransmission: Int?
        /// Whether the peer answers requests for lost packets (NACK, RFC 4585 section 6.2.1).
        var takesNack = false
        /// The id of the header extension that numbers packets (``TransportFeedback``); nil without reports on them.
        var transportSequenceId: Int?
        /// Whether each end may say what it takes (``ReceiverEstimate``).
        var hasEstimates = false
        /// The id of the header extension with the time at which the peer sends a packet (``AbsoluteSendTime``); nil when this end makes no estimate.
        var sendTimeId: Int?
        /// The id of the header extension with the level of sent audio (``AudioLevel``); nil without it.
        var audioLevelId: Int?

        var payloadTypes: Set<Int> {
            Set([payloadType] + telephoneEvents.map(\.payloadType) + [retransmission].compactMap(\.self))
        }
    }

    private let tracks: PeerTracks
    private let builder: TrackBuilder
    private let outputs: MediaOutputs
    private let probe: String?
    private let report: @Sendable (PeerPipeline.Report) -> Void
    let opus: OpusParameters
    let maxReceiveKbit: [TrackID: Int]
    let peer: PeerPipeline
    let certificate: DtlsCertificate
    let bandwidth: BandwidthControl
    let estimateSender: EstimateSender
    let pendingReplies = PendingReplies()
    private let padConnection: SignalConnection

    /// By m-line: the negotiated choices; at the offerer its preferred ones until the answer.
    var choices: [Choice] { tracks.choices }
    var sending: [TrackID: SendTrack] { tracks.sending }
    /// The sending halves of the videos, in order.
    var videos: [SendTrack] { tracks.videos }
    /// At the offerer, empty before ``apply(_:_:)``.
    var receiving: [TrackID: ReceiveTrack] { tracks.receiving }
    var pipeline: Pipeline { peer.pipeline }
    var fingerprintCheck: UncheckedFingerprint { peer.fingerprintCheck }
    var gathering: EndlessGathering { peer.gathering }
    /// The path to the peer.
    var ice: IceAgent { peer.ice }
    /// How often packets of the peer arrive.
    var rhythm: PeerRhythm { peer.activity.rhythm }

    /// The failure of the half track that the element of this path belongs to; nil when the element belongs to none.
    func failure(ofElementAt path: String, _ message: String, _ debug: String) -> TrackFailure? {
        tracks.failure(ofElementAt: path, message, debug)
    }

    /// Builds the pipeline and the sending tracks; ``apply(_:_:)`` builds the receiving ones.
    init(
        _ configuration: PeerConnectionConfiguration, choices: [Choice], modes: [TrackID: SendMode],
        outputs: MediaOutputs, catalog: PipelineCatalog, report: @escaping @Sendable (PeerPipeline.Report) -> Void
    ) throws(MediaError) {
        let certificate = try DtlsCertificate()
        let peer = try PeerPipeline(configuration, certificate: certificate, report: report)
        let (opus, warnings) = configuration.opus.checked()
        for text in warnings { report(.warning(text)) }
        let bin = peer.pipeline.bin
        let probe = outputs.probes?.take()
        var isBuilt = false
        defer { if !isBuilt, let probe { outputs.probes?.giveBack(probe) } }
        let builder = TrackBuilder(
            configuration, opus: opus, outputs: outputs, probe: probe, catalog: catalog, pipeline: bin, report: report)
        let tracks = PeerTracks(choices)
        for choice in choices {
            let sink = try peer.webrtc.requestPad("sink_%u")
            tracks.set(try builder.sendTrack(choice, to: sink, mode: modes[choice.track] ?? .closed))
        }
        let dtmf = choices.contains { !$0.telephoneEvents.isEmpty } ? try DtmfReceiver(pipeline: bin) : nil
        self.tracks = tracks
        bandwidth = BandwidthControl(
            tracks, peer, preference: configuration.tracks[.video]?.degradationPreference ?? .balanced)
        self.builder = builder
        (self.outputs, self.probe, self.report) = (outputs, probe, report)
        self.opus = opus
        maxReceiveKbit = configuration.tracks.compactMapValues(\.maxReceiveKbit)
        let mostKbit = choices.map(\.track).filter { id in
            id.kind == .video && (id == .video || configuration.tracks[id]?.direction.receives == true)
        }.compactMap { configuration.tracks[$0]?.maxReceiveKbit }
        estimateSender = EstimateSender(mostKbit: mostKbit.isEmpty ? nil : mostKbit.reduce(0, +))
        self.peer = peer
        // The pad owns the handler, and tracks hold their pipeline.
        peer.receptionReports.onReport { [weak tracks] ssrc, stream in
            guard let track = tracks?.sending[.audio], track.ssrc == ssrc else { return }
            track.note(loss: stream.fractionLost)
        }
        if configuration.tuning.followsBandwidth {
            peer.receptionReports.onEstimate { [weak tracks, weak bandwidth] estimate in
                let ssrcs = tracks?.videos.flatMap(\.ssrcs) ?? []
                guard ssrcs.contains(where: estimate.concerns) else { return }
                bandwidth?.note(estimate)
            }
        }
        self.certificate = certificate
        let check = peer.fingerprintCheck
        // webrtcbin owns the closure: it may hold the tracks, which do not hold webrtcbin.
        padConnection = peer.webrtc.connect("pad-added") { [tracks, dtmf, routes = peer.routes] arguments in
            guard let pad = arguments.pad(1), pad.isSource else { return }
            Self.connect(pad, to: tracks.receiving, by: routes, dtmf, check, report)
        }
        isBuilt = true
    }

    /// Builds the receiving tracks, and rebuilds a sending track if the negotiated choice is not the preferred one.
    nonisolated(nonsending) func apply(_ agreed: [Choice], _ directions: [TrackID: MediaDirection])
        async throws(MediaError)
    {
        let videos = agreed.filter { $0.track.kind == .video }
        let received = videos.filter { directions[$0.track]?.receives != false }
        if !videos.isEmpty {
            peer.jitterBuffers.retransmit(
                Set(videos.map(\.payloadType)), isPossible: received.contains(where: \.takesNack))
            peer.retransmitted.setPayloadTypes(
                media: Set(videos.map(\.payloadType)), retransmission: Set(videos.compactMap(\.retransmission)))
        }
        for choice in agreed {
            let id = choice.track
            tracks.set(try builder.receiveTrack(choice, isSentByPeer: directions[id]?.receives != false))
            // The pad accepts only what its transceiver prefers.
            try applyPreferences(choice)
            if choice.transportSequenceId != nil { try sending[id]?.beginNumbering() }
            sending[id]?.dtmf?.agree(on: choice.telephoneEvents.first)
            if let present = sending[id],
                present.codec != choice.codec || present.payloadType != choice.payloadType
            {
                let mode = present.mode
                await present.remove(from: pipeline.bin)
                let track = try builder.sendTrack(choice, to: present.webrtcSink, mode: mode, after: present)
                tracks.set(track)
                try await track.start()
            }
            if directions[id]?.sends == false { outputs.sent?.leaveOut(id) }
            if let levelId = choice.audioLevelId { try sending[id]?.sendLevel(levelId) }
        }
        tracks.set(agreed)
        await outputs.join(self) { [report] in report(.event(PeerConnectionEvent($0))) }
    }

    /// Starts or stops to show, play and record received media, except for hidden tracks, and to record sent media.
    ///
    /// - Returns: How many frames and audio buffers had been shown before, by track.
    func setReceiving(_ isOpen: Bool, hiding hidden: Set<TrackID>) -> [TrackID: Int] {
        if isOpen { begin() }
        for track in sending.values { track.setRecording(isOpen) }
        var passed: [TrackID: Int] = [:]
        for (id, track) in receiving { passed[id] = track.setOpen(isOpen && !hidden.contains(id)) }
        return passed
    }

    private func begin() {
        outputs.begin(self, with: receiving.keys) { [report] in report(.event(PeerConnectionEvent($0))) }
    }

    /// Runs on the streaming thread that is about to push the first packet, so the link exists in time.
    private static func connect(
        _ pad: Pad, to tracks: [TrackID: ReceiveTrack], by routes: StreamRoutes, _ dtmf: DtmfReceiver?,
        _ check: UncheckedFingerprint,
        _ report: @escaping @Sendable (PeerPipeline.Report) -> Void
    ) {
        // Routed by its caps: under bundle webrtcbin does not know the m-line of a stream without a=ssrc.
        let fields = pad.caps?.fields
        let isDtmf = fields?["encoding-name"]?.stringValue?.uppercased() == "TELEPHONE-EVENT"
        guard let name = fields?["media"]?.stringValue, let kind = MediaKind(rawValue: name),
            let track = tracks[routes.track(of: fields?["ssrc"]?.intValue.flatMap { UInt32(exactly: $0) }, kind)]
        else { return }
        check.hold(pad)
        do throws(MediaError) {
            if isDtmf { try dtmf?.connect(pad) } else { try track.connect(pad) }
        } catch {
            report(.event(PeerConnectionEvent(.failed(error))))
        }
    }

    /// Starts the pipeline and feeds the encoders.
    nonisolated(nonsending) func start() async throws(MediaError) {
        for choice in choices { try applyPreferences(choice) }
        try pipeline.bin.setState(.playing)
        for track in sending.values { try await track.start() }
    }

    /// Sets the codec of the m-line in webrtcbin, so that an offer need not wait for the encoder's caps.
    private func applyPreferences(_ choice: Choice) throws(MediaError) {
        guard let track = sending[choice.track], let transceiver = track.transceiver else { return }
        let codec = choice.codec
        let isRepaired = choice.retransmission != nil || choice.takesNack
        try transceiver.set("do-nack", isRepaired ? "true" : "false")
        try transceiver.set(
            "codec-preferences",
            "application/x-rtp,media=(string)\(codec.kind.rawValue),encoding-name=(string)\(codec.encodingName),"
                + "clock-rate=(int)\(codec.clockRate),payload=(int)\(choice.payloadType),ssrc=(uint)\(track.ssrc)"
                + codec.extraCaps
                // A payloader that numbers its packets reads it here, and from 1.24 on so does the session for received ones.
                + (choice.transportSequenceId.map { ",extmap-\($0)=(string)\(TransportFeedback.extensionURI)" } ?? "")
                + (choice.telephoneEvents.first.map {
                    ";application/x-rtp,media=(string)audio,encoding-name=(string)TELEPHONE-EVENT,"
                        + "clock-rate=(int)\(codec.clockRate),payload=(int)\($0.payloadType)"
                } ?? ""))
    }

    /// Makes a channel in GStreamer and attaches it to the application's channel.
    func open(_ channel: DataChannel) throws(MediaError) {
        guard let native = peer.webrtc.makeDataChannel(channel.label, channel.options) else {
            throw .pluginMissing(element: "sctpenc")
        }
        channel.attach(native)
    }

    func silenceData() { UnrefusedDataChannel.silence(in: peer.webrtc) }

    /// Prepares the RTP session after the verification and before the first packet, so that the peer gets packets even if no media flows.
    ///
    /// `reducesRtcp`: reports between the regular ones hold only what is new (RFC 5506). With three streams they would be ten times as large.
    func prepareSending(reducesRtcp: Bool) throws(MediaError) {
        guard let session = peer.session else { return }
        try session.object("internal-session")?.set("rtcp-reduced-size", reducesRtcp ? "true" : "false")
        for track in sending.values {
            try track.announce(to: session)
            try track.simulcast?.assignStreams(in: peer)
            peer.receptionReports.follow(track.ssrc)
        }
        try takeKeyFrameRequests(in: session)
        if let id = choices.lazy.compactMap(\.transportSequenceId).first {
            try LostExtensionId.announce(id, to: session)
            try bandwidth.follow(session)
        }
        let timed = choices.filter { $0.sendTimeId != nil }
        if let id = timed.first?.sendTimeId.flatMap({ UInt8(exactly: $0) }) {
            let payloadTypes = timed.reduce(into: Set<Int>()) { $0.formUnion($1.payloadTypes) }
            // The pads of the session own the closure.
            try estimateSender.begin(in: session, extensionId: id, payloadTypes: payloadTypes) { [weak peer] in
                if let session = peer?.session { SlowFeedback.begin(in: session) }
            }
        }
        SlowFeedback.begin(in: session)
    }

    /// Answers a request for a key frame of one stream by key frames of all.
    ///
    /// A peer that lost packets asks for one of each video, or of each version of a simulcast, at once. `rtpsession` passes one request of a peer in a
    /// round trip, whichever stream it is for.
    private func takeKeyFrameRequests(in session: Element) throws(MediaError) {
        let videos = videos
        let ssrcs = Set(videos.flatMap(\.ssrcs))
        guard ssrcs.count > 1 else { return }
        // The pad owns the handler, and tracks hold its pipeline.
        try session.pad("send_rtp_sink").interceptKeyFrameRequests(of: ssrcs) { [weak tracks] in
            for track in tracks?.videos ?? [] { track.requestKeyFrame() }
        }
    }

    /// Sends an RTCP report at once.
    func sendReport() { if let session = peer.session { SlowFeedback.begin(in: session) } }

    /// Adds a candidate; `mLine` is an index among the m-lines that webrtcbin knows.
    func add(_ candidate: IceCandidate, toMLine mLine: Int) {
        peer.webrtc.emit("add-ice-candidate", [.uint(UInt32(mLine)), .string(candidate.candidate)])
    }

    /// Stops sending and showing, and starts to release the captures.
    func shut() {
        for track in sending.values { track.set(.off) }
        for track in receiving.values { _ = track.setOpen(false) }
    }

    /// Stops everything; false when that did not end in time and continues in the background.
    ///
    /// A hanging device does not prevent the others or the connection itself from being stopped.
    func tearDown(within limit: Duration, label: String) async -> Bool {
        let areOver = await withTaskGroup(of: Bool.self) { group in
            func bounded(_ part: @escaping @Sendable () async -> Void) {
                group.addTask { await Deadline.isMet(limit / 2, by: part) }
            }
            for track in sending.values { bounded { await track.end() } }
            return await group.reduce(true) { $0 && $1 }
        }
        let isStopped = await Deadline.isMet(limit / 2) { [pipeline, peer, pendingReplies] in
            // The pipelines are not drained: the last packet of a call is of no use.
            peer.activity.end()
            await peer.ice.mute()
            await pendingReplies.finish(within: limit / 8)
            await BlockingQueue(label: "teardown.\(label)").stop(pipeline)
            pendingReplies.expire()
            // A TURN server that does not answer delays nobody; its allocation expires by itself. The sockets close when libnice gives it up.
            _ = await Deadline.isMet(limit / 8) { await peer.ice.close() }
            peer.turnServers.close()
        }
        outputs.leave(self)
        if isStopped, let probe { outputs.probes?.giveBack(probe) }
        return areOver && isStopped && pipeline.isStopped
    }
}
