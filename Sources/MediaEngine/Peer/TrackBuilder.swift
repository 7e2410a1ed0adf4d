/// Builds the tracks of a peer connection into its pipeline, with their recorders and sinks.
struct TrackBuilder: Sendable {
    private let configuration: PeerConnectionConfiguration
    private let opus: OpusParameters
    private let outlets: Outlets
    private let catalog: PipelineCatalog
    private let pipeline: Element
    private let received: Recorder?
    private let sent: Recorder?
    /// Nil when no audio is played here.
    private let probe: EchoProbe?
    private let report: @Sendable (PeerPipeline.Report) -> Void
    /// When the recordings start.
    let recordingZero = RecordingZero()

    /// `opus` must be checked already.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a recording of an unknown format.
    init(
        _ configuration: PeerConnectionConfiguration, opus: OpusParameters, outlets: Outlets, catalog: PipelineCatalog,
        pipeline: Element, report: @escaping @Sendable (PeerPipeline.Report) -> Void
    ) throws(MediaError) {
        self.configuration = configuration
        self.opus = opus
        self.outlets = outlets
        self.catalog = catalog
        self.pipeline = pipeline
        self.report = report
        var (received, sent): (Recorder?, Recorder?)
        if let path = configuration.recordingPath {
            let fail: @Sendable (MediaError) -> Void = { report(.event(PeerConnectionEvent(.recordingFailed($0)))) }
            let files = configuration.maximumRecordingFiles
            received = try Recorder(
                path: path, maximumFiles: files, zero: recordingZero, catalog: catalog, report: fail)
            if configuration.recordsSent {
                let beside = PeerConnectionConfiguration.pathOfSent(beside: path)
                sent = try Recorder(
                    path: beside, maximumFiles: files, zero: recordingZero, catalog: catalog, report: fail)
            }
        }
        (self.received, self.sent) = (received, sent)
        let isHeard = !SinkBlueprint(configuration.audioSink, catalog).isDiscard
        probe = isHeard && GStreamerLibrary.hasElement("webrtcechoprobe") ? try EchoProbe() : nil
    }

    var recorders: [Recorder] { [received, sent].compactMap(\.self) }

    /// `former` is the track that this one replaces: its later settings apply to this one, too.
    func sendTrack(
        _ choice: PeerMedia.Choice, to webrtcSink: Pad, mode: SendMode, after former: SendTrack? = nil
    ) throws(MediaError) -> SendTrack {
        let kind = choice.codec.kind
        guard var track = configuration.tracks[kind] else { throw .noCommonCodec(media: kind.rawValue) }
        let requested = former?.encoder.requested
        if let former { (track.source, track.processing) = (former.source, former.processing) }
        if let requested { track.bitrateKbit = requested.bitrateKbit }
        let sending = try SendTrack(
            track, opus: requested?.opus ?? opus, codec: choice.codec, payloadType: choice.payloadType,
            // The offer names that of the track that it was made with.
            ssrc: former?.ssrc ?? .random(in: 1...UInt32.max),
            description: catalog.encoder(of: choice.codec, chosen: track.encoders),
            telephoneEvent: choice.telephoneEvents.first, recorder: sent,
            pipeline: pipeline, webrtcSink: webrtcSink, mode: mode,
            // The rate of audio does not follow the path.
            numbersPackets: kind == .video && configuration.tuning.followsBandwidth,
            keyFrameIntervalMs: configuration.tuning.keyFrameIntervalMs, probe: probe?.name,
            onUnprocessed: { [report] in report(.warning("the audio is sent unprocessed: \($0)")) },
            onUnshared: { [report] in report(.warning("no encoder is shared with other calls: \($0)")) },
            onFailure: { [report] in report(.event(PeerConnectionEvent(.captureFailed(kind, $0)))) },
            onChange: { [report] in report(.event(PeerConnectionEvent($0, of: kind))) })
        if kind == .video {
            sending.onFrameSize { [report] in
                report(.event(PeerConnectionEvent(.frameSizeSent(width: $0, height: $1))))
            }
        }
        return sending
    }

    func receiveTrack(_ choice: PeerMedia.Choice) throws(MediaError) -> ReceiveTrack {
        let kind = choice.codec.kind
        let receiving = try ReceiveTrack(
            codec: choice.codec, decoder: catalog.description(of: choice.codec, role: .decoder),
            values: choice.codec == .opus ? opus.decoderValues(isStereo: choice.isStereo) : [:],
            discard: catalog.description("discard", role: kind == .video ? .videoSink : .audioSink),
            outlet: outlets[kind], sink: sink(for: kind), decoding: configuration.decoding, recorder: received,
            pipeline: pipeline,
            report: { [report] in report(.event($0)) })
        if kind == .video {
            receiving.limitFrameSize { [report] in report(.bus($0)) }
            receiving.decoded.onFrameSize { [report] in
                report(.event(PeerConnectionEvent(.frameSizeReceived(width: $0, height: $1))))
            }
        }
        return receiving
    }

    /// The sink of one kind; nil when its media is discarded.
    private func sink(for kind: MediaKind) -> SinkPipeline? {
        let blueprint =
            kind == .video
            ? SinkBlueprint(configuration.videoSink, catalog) : SinkBlueprint(configuration.audioSink, catalog)
        guard !blueprint.isDiscard else { return nil }
        // The delay of the jitter buffer, and a bit more.
        let latency = configuration.tuning.jitterBufferMs + 20
        return SinkPipeline(blueprint, outlet: outlets[kind], latencyMs: latency, probe: kind == .audio ? probe : nil) {
            [report] in
            report(.event(PeerConnectionEvent(.sinkFailed(kind, $0))))
        }
    }
}
