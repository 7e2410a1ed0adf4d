/// What a peer connection consists of once its codecs are known: the pipeline and its tracks.
///
/// Used on the executor of its ``PeerConnection`` only, except where GStreamer calls back.
final class PeerMedia: Sendable {
    /// The codec of one m-line.
    struct Choice: Sendable {
        let codec: Codec
        let payloadType: Int
        /// The profile of an offer that is answered, which the answer repeats.
        var profile: String?
        /// The payload type of telephone events, when they are spoken of.
        var telephoneEvent: Int?

        var payloadTypes: Set<Int> { Set([payloadType, telephoneEvent].compactMap { $0 }) }
    }

    private let tracks: PeerTracks
    private let builder: TrackBuilder
    private let opus: OpusParameters
    private let maxReceiveKbit: [MediaKind: Int]
    private let peer: PeerPipeline
    private let certificate: DtlsCertificate
    private let owed = OwedReplies()
    private let padConnection: SignalConnection

    /// By m-line: what is agreed on, and at the offering end before the answer what it prefers.
    var choices: [Choice] { tracks.choices }
    var sending: [MediaKind: SendTrack] { tracks.sending }
    /// At the offering end empty before ``settle(_:)``.
    var receiving: [MediaKind: ReceiveTrack] { tracks.receiving }
    var pipeline: Pipeline { peer.pipeline }
    var fingerprintCheck: UncheckedFingerprint { peer.fingerprintCheck }
    var gathering: EndlessGathering { peer.gathering }
    /// How often packets of the peer arrive.
    var rhythm: PeerRhythm { peer.activity.rhythm }

    /// Builds the pipeline and what is sent; what is received follows with ``settle(_:)``.
    init(
        _ configuration: PeerConnectionConfiguration, choices: [Choice], modes: [MediaKind: SendMode],
        outlets: Outlets, catalog: PipelineCatalog, report: @escaping @Sendable (PeerPipeline.Report) -> Void
    ) throws(MediaError) {
        let certificate = try DtlsCertificate()
        let peer = try PeerPipeline(configuration, certificate: certificate, report: report)
        let (opus, warnings) = configuration.opus.checked()
        for text in warnings { report(.warning(text)) }
        let bin = peer.pipeline.bin
        let builder = try TrackBuilder(
            configuration, opus: opus, outlets: outlets, catalog: catalog, pipeline: bin, report: report)
        let tracks = PeerTracks(choices)
        for choice in choices {
            let sink = try peer.webrtc.requestPad("sink_%u")
            tracks.set(try builder.sendTrack(choice, to: sink, mode: modes[choice.codec.kind] ?? .closed))
        }
        let dtmf = choices.contains { $0.telephoneEvent != nil } ? try DtmfReceiver(pipeline: bin) : nil
        self.tracks = tracks
        self.builder = builder
        self.opus = opus
        maxReceiveKbit = configuration.tracks.compactMapValues(\.maxReceiveKbit)
        self.peer = peer
        self.certificate = certificate
        let check = peer.fingerprintCheck
        // The closure belongs to webrtcbin: it may know the tracks, which do not know webrtcbin.
        padConnection = peer.webrtc.connect("pad-added") { [tracks, dtmf] arguments in
            guard let pad = arguments.pad(1), pad.isSource else { return }
            Self.connect(pad, to: tracks.receiving, dtmf, check, report)
        }
    }

    /// Builds what is received, and what is sent anew where something else was agreed on than was preferred.
    nonisolated(nonsending) func settle(_ agreed: [Choice]) async throws(MediaError) {
        for choice in agreed {
            let kind = choice.codec.kind
            tracks.set(try builder.receiveTrack(choice))
            guard let present = sending[kind], present.codec != choice.codec else { continue }
            let mode = present.mode
            // The pad takes what its transceiver prefers.
            try applyPreferences(choice)
            await present.remove(from: pipeline.bin)
            let track = try builder.sendTrack(choice, to: present.webrtcSink, mode: mode, after: present)
            tracks.set(track)
            try await track.start()
        }
        tracks.set(agreed)
        for recorder in builder.recorders { await recorder.start() }
    }

    /// Shows, plays and records what arrives, but for the hidden kinds, and records what is sent, from now on or no more.
    ///
    /// - Returns: How many pictures and audio buffers had been shown before, by kind.
    func setReceiving(_ isOpen: Bool, hiding hidden: Set<MediaKind>) -> [MediaKind: Int] {
        if isOpen { builder.recordingZero.begin() }
        for track in sending.values { track.setRecording(isOpen) }
        var passed: [MediaKind: Int] = [:]
        for (kind, track) in receiving { passed[kind] = track.setOpen(isOpen && !hidden.contains(kind)) }
        return passed
    }

    /// Runs in the streaming thread that is about to push the first packet, so the link is there in time.
    private static func connect(
        _ pad: Pad, to tracks: [MediaKind: ReceiveTrack], _ dtmf: DtmfReceiver?, _ check: UncheckedFingerprint,
        _ report: @escaping @Sendable (PeerPipeline.Report) -> Void
    ) {
        // Routed by its caps: under bundle webrtcbin does not know the m-line of a stream without a=ssrc.
        let fields = pad.caps?.fields
        let isDtmf = fields?["encoding-name"]?.stringValue?.uppercased() == "TELEPHONE-EVENT"
        guard let name = fields?["media"]?.stringValue, let kind = MediaKind(rawValue: name),
            let track = tracks[kind]
        else { return }
        check.hold(pad)
        do throws(MediaError) {
            if isDtmf { try dtmf?.connect(pad) } else { try track.connect(pad) }
        } catch {
            report(.event(PeerConnectionEvent(.failed(error))))
        }
    }

    /// Brings the pipeline to life and feeds the encoders.
    nonisolated(nonsending) func start() async throws(MediaError) {
        for choice in choices { try applyPreferences(choice) }
        try pipeline.bin.setState(.playing)
        for track in sending.values { try await track.start() }
    }

    /// Tells webrtcbin the codec of the m-line, so that an offer need not wait for the encoder's caps.
    private func applyPreferences(_ choice: Choice) throws(MediaError) {
        guard let transceiver = sending[choice.codec.kind]?.transceiver else { return }
        let codec = choice.codec
        try transceiver.set(
            "codec-preferences",
            "application/x-rtp,media=(string)\(codec.kind.rawValue),encoding-name=(string)\(codec.encodingName),"
                + "clock-rate=(int)\(codec.clockRate),payload=(int)\(choice.payloadType)\(codec.extraCaps)"
                + (choice.telephoneEvent.map {
                    ";application/x-rtp,media=(string)audio,encoding-name=(string)TELEPHONE-EVENT,"
                        + "clock-rate=(int)\(codec.clockRate),payload=(int)\($0)"
                } ?? ""))
    }

    /// Gives GStreamer's own channel to one of the application's.
    func open(_ channel: DataChannel) throws(MediaError) {
        guard let native = peer.webrtc.makeDataChannel(channel.label, channel.options) else {
            throw .pluginMissing(element: "sctpenc")
        }
        channel.attach(native)
    }

    func silenceData() { UnrefusedDataChannel.silence(in: peer.webrtc) }

    /// Asks webrtcbin for a description.
    nonisolated(nonsending) func create(_ kind: SessionDescription.Kind) async throws(MediaError) -> SessionDescription
    {
        let name = kind == .offer ? "offer" : "answer"
        let reply = try await awaitReply(to: "create-\(name)", owed: owed) { promise in
            peer.webrtc.emit("create-\(name)", [.emptyStructure, .promise(promise)])
        }
        guard let sdp = reply[name]?.stringValue else { throw .expired(operation: "create-\(name)") }
        return SharedCertificate.correctFingerprint(in: SessionDescription(kind: kind, sdp: sdp), of: certificate)
    }

    /// Adds what webrtcbin leaves out: it names one payload type, and sometimes telephone events.
    ///
    /// `alternatives` are all choices of each m-line, the first of which webrtcbin knows.
    func addFormats(_ alternatives: [[Choice]], to description: SessionDescription) -> SessionDescription {
        var local = LocalDescription(description)
        for (index, choices) in alternatives.enumerated() {
            for choice in choices.dropFirst() {
                let codec = choice.codec
                local.add(choice.payloadType, encoding: codec.rtpmap, feedback: codec.feedback, toMLine: index)
                local.set(parameters(of: choice), of: choice.payloadType, inMLine: index)
            }
            for choice in choices {
                guard let payloadType = choice.telephoneEvent else { continue }
                local.add(
                    payloadType, encoding: "telephone-event/\(choice.codec.clockRate)", parameters: "0-15",
                    toMLine: index)
                local.set("0-15", of: payloadType, inMLine: index)
            }
        }
        return local.description
    }

    /// Writes what this end asks for into a description: webrtcbin writes only what its caps hold.
    func fit(_ description: inout LocalDescription, _ alternatives: [[Choice]]) {
        for (index, choices) in alternatives.enumerated() {
            for choice in choices {
                description.set(parameters(of: choice), of: choice.payloadType, inMLine: index)
            }
            guard let kind = choices.first?.codec.kind else { continue }
            if kind == .audio, opus.ptimeMs != OpusParameters().ptimeMs {
                description.append("a=ptime:\(opus.ptimeMs)", toMLine: index)
            }
            if let kbit = maxReceiveKbit[kind], (1...2_000_000).contains(kbit) {
                description.setBandwidth(kbit: kbit, inMLine: index)
            }
        }
    }

    private func parameters(of choice: Choice) -> String? {
        switch choice.codec {
        case .opus: opus.formatParameters
        case .h264: choice.profile.map(Codec.h264Parameters) ?? Codec.h264.profileParameters
        default: choice.codec.profileParameters
        }
    }

    /// Keeps the encoders within what the peer's description allows.
    func agree(with remote: RemoteDescription) throws(MediaError) {
        for (section, choice) in zip(remote.sections, choices) {
            try sending[choice.codec.kind]?.encoder.agree(with: section, payloadType: choice.payloadType)
        }
    }

    nonisolated(nonsending) func setLocal(_ description: SessionDescription) async throws(MediaError) {
        try await set(description, "set-local-description")
    }

    nonisolated(nonsending) func setRemote(_ description: SessionDescription) async throws(MediaError) {
        try await set(description, "set-remote-description")
    }

    nonisolated(nonsending) private func set(_ description: SessionDescription, _ operation: String)
        async throws(MediaError)
    {
        let native = try NativeSessionDescription(description)
        _ = try await awaitReply(to: operation, owed: owed) { promise in
            peer.webrtc.emit(operation, [.description(native), .promise(promise)])
        }
    }

    /// What has to be done between the verification and the first packet, so that the peer hears from us though no media flows.
    func prepareSending() throws(MediaError) {
        guard let session = peer.session else { return }
        for track in sending.values { try track.announce(to: session) }
        SlowFeedback.begin(in: session)
    }

    /// Takes a candidate for one of the m-lines that webrtcbin knows, counted among those.
    func add(_ candidate: IceCandidate, toMLine mLine: Int) {
        peer.webrtc.emit("add-ice-candidate", [.uint(UInt32(mLine)), .string(candidate.candidate)])
    }

    nonisolated(nonsending) func transportStatistics() async throws(MediaError) -> [String: PropertyValue] {
        try await awaitReply(to: "get-stats", owed: owed) { promise in
            peer.webrtc.emit("get-stats", [.noPad, .promise(promise)])
        }
    }

    func report(_ reply: [String: PropertyValue], _ statistics: PeerStatistics, timestamp: Double) -> StatisticsReport {
        var sent: [UInt32: StatisticsReport.Stream] = [:]
        var received: [UInt32: StatisticsReport.Stream] = [:]
        for (kind, track) in sending {
            let stream = StatisticsReport.Stream(
                kind: kind, codec: track.codec, payloadType: track.payloadType, bitrateKbit: track.encoder.bitrateKbit)
            sent[track.ssrc] = stream
            if let ssrc = receiving[kind]?.ssrc { received[ssrc] = stream }
        }
        return StatisticsReport(webrtcbin: reply, timestamp: timestamp, sent: sent, received: received, statistics)
    }

    func statistics(transport: PeerStatistics.Transport) -> PeerStatistics {
        let received = receiving.mapValues { track in
            var statistics = track.statistics
            guard let ssrc = track.ssrc else { return statistics }
            let waited = peer.jitterBuffers.total(of: ssrc)
            (statistics.jitterBufferPackets, statistics.jitterBufferSeconds) = (waited.packets, waited.seconds)
            (statistics.packetsLost, statistics.packetsDiscarded) = (waited.lost, waited.late)
            return statistics
        }
        var transport = transport
        transport.packetsLost = received.values.map(\.packetsLost).reduce(0, +)
        return PeerStatistics(sent: sending.mapValues(\.statistics), received: received, transport: transport)
    }

    /// Stops everything; false when that did not end in time and goes on alone.
    func tearDown(within limit: Duration, label: String) async -> Bool {
        await Deadline.isMet(limit) { [pipeline, builder, sending, receiving, peer, owed] in
            // What is in the pipelines is not waited for: the last packet of a call is of no use.
            for recorder in builder.recorders { await recorder.finish(within: limit / 6) }
            for track in sending.values { await track.end() }
            for track in receiving.values { await track.end() }
            peer.activity.end()
            await BlockingQueue(label: "teardown.\(label)").stop(pipeline)
            owed.expire()
            peer.turnServers.close()
        }
    }
}
