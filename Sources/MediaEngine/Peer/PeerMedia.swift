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

    let choices: [Choice]
    private let opus: OpusParameters
    private let maxReceiveKbit: [MediaKind: Int]
    let sending: [MediaKind: SendTrack]
    let receiving: [MediaKind: ReceiveTrack]
    private let peer: PeerPipeline
    private let certificate: DtlsCertificate
    private let recorder: Recorder?
    private let padConnection: SignalConnection

    var pipeline: Pipeline { peer.pipeline }
    var fingerprintCheck: UncheckedFingerprint { peer.fingerprintCheck }
    var gathering: EndlessGathering { peer.gathering }
    var lastArrival: ContinuousClock.Instant? { peer.activity.lastArrival }

    init(
        _ configuration: PeerConnectionConfiguration, choices: [Choice], modes: [MediaKind: SendMode],
        catalog: PipelineCatalog, report: @escaping @Sendable (PeerPipeline.Report) -> Void
    ) throws(MediaError) {
        let certificate = try DtlsCertificate()
        let peer = try PeerPipeline(configuration, certificate: certificate, report: report)
        let (opus, warnings) = configuration.opus.checked()
        for text in warnings { report(.warning(text)) }
        let bin = peer.pipeline.bin
        var recorder: Recorder?
        if let path = configuration.recordingPath {
            recorder = try Recorder(catalog.description("matroska", role: .recorder), path: path, pipeline: bin)
        }
        var sending: [MediaKind: SendTrack] = [:]
        var receiving: [MediaKind: ReceiveTrack] = [:]
        for choice in choices {
            let kind = choice.codec.kind
            guard let track = configuration.tracks[kind] else { throw .noCommonCodec(media: kind.rawValue) }
            sending[kind] = try SendTrack(
                track, opus: opus, codec: choice.codec, payloadType: choice.payloadType,
                description: catalog.description(of: choice.codec, role: .encoder),
                telephoneEvent: choice.telephoneEvent, pipeline: bin, webrtc: peer.webrtc, mode: modes[kind] ?? .closed,
                onFailure: { report(.event(PeerConnectionEvent(.captureFailed(kind, $0)))) },
                onChange: { report(.event(PeerConnectionEvent($0, of: kind))) })
            receiving[kind] = try ReceiveTrack(
                codec: choice.codec, decoder: catalog.description(of: choice.codec, role: .decoder),
                sink: catalog.description("discard", role: kind == .video ? .videoSink : .audioSink),
                recorder: choice.codec.fitsMatroska ? recorder : nil, pipeline: bin, report: { report(.event($0)) })
        }
        for choice in choices where configuration.recordingPath != nil && !choice.codec.fitsMatroska {
            report(.warning("\(choice.codec.encodingName) cannot be recorded: Matroska does not hold it"))
        }
        let dtmf = choices.contains { $0.telephoneEvent != nil } ? try DtmfReceiver(pipeline: bin) : nil
        self.choices = choices
        self.opus = opus
        maxReceiveKbit = configuration.tracks.compactMapValues(\.maxReceiveKbit)
        self.sending = sending
        self.receiving = receiving
        self.peer = peer
        self.certificate = certificate
        self.recorder = recorder
        let check = peer.fingerprintCheck
        // The closure belongs to webrtcbin: it may know the tracks, which do not know webrtcbin.
        padConnection = peer.webrtc.connect("pad-added") { [receiving, dtmf] arguments in
            guard let pad = arguments.pad(1), pad.isSource else { return }
            Self.connect(pad, to: receiving, dtmf, check, report)
        }
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
        let reply = try await awaitReply(to: "create-\(name)") { promise in
            peer.webrtc.emit("create-\(name)", [.emptyStructure, .promise(promise)])
        }
        guard let sdp = reply[name]?.stringValue else { throw .expired(operation: "create-\(name)") }
        return SharedCertificate.correctFingerprint(in: SessionDescription(kind: kind, sdp: sdp), of: certificate)
    }

    /// Adds telephone events where they are spoken of: webrtcbin answers with one payload type only.
    func addTelephoneEvents(to description: SessionDescription) -> SessionDescription {
        var local = LocalDescription(description)
        for (index, choice) in choices.enumerated() {
            guard let payloadType = choice.telephoneEvent else { continue }
            local.add(
                payloadType, encoding: "telephone-event/\(choice.codec.clockRate)", parameters: "0-15", toMLine: index)
            local.set("0-15", of: payloadType, inMLine: index)
        }
        return local.description
    }

    /// Writes what this end asks for into a description: webrtcbin writes only what its caps hold.
    func fit(_ description: inout LocalDescription) {
        for (index, choice) in choices.enumerated() {
            let parameters: String? =
                switch choice.codec {
                case .opus: opus.formatParameters
                case .h264:
                    "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=\(choice.profile ?? "42e01f")"
                case .vp9: "profile-id=0"
                case .vp8, .g722, .pcmu, .pcma: nil
                }
            description.set(parameters, of: choice.payloadType, inMLine: index)
            if choice.codec.kind == .audio, opus.ptimeMs != OpusParameters().ptimeMs {
                description.append("a=ptime:\(opus.ptimeMs)", toMLine: index)
            }
            if let kbit = maxReceiveKbit[choice.codec.kind], (1...2_000_000).contains(kbit) {
                description.setBandwidth(kbit: kbit, inMLine: index)
            }
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
        _ = try await awaitReply(to: operation) { promise in
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
        try await awaitReply(to: "get-stats") { promise in
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
        PeerStatistics(
            sent: sending.mapValues(\.statistics), received: receiving.mapValues(\.statistics), transport: transport)
    }

    /// Stops everything; false when that did not end in time and goes on alone.
    func tearDown(within limit: Duration, label: String) async -> Bool {
        await Deadline.isMet(limit) { [pipeline, recorder, sending, peer] in
            if let recorder { await recorder.finish(within: limit / 2) }
            for track in sending.values { await track.end() }
            peer.activity.end()
            await BlockingQueue(label: "teardown.\(label)").stop(pipeline)
            peer.turnServers.close()
        }
    }
}
