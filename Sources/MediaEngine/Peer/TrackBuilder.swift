/// Builds the tracks of a peer connection into its pipeline, with what records and shows them.
struct TrackBuilder: Sendable {
    private let configuration: PeerConnectionConfiguration
    private let opus: OpusParameters
    private let outlets: Outlets
    private let catalog: PipelineCatalog
    private let pipeline: Element
    private let received: Recorder?
    private let sent: Recorder?
    /// Nil when nothing is heard here.
    private let probe: EchoProbe?
    private let report: @Sendable (PeerPipeline.Report) -> Void
    /// When the recordings begin.
    let recordingZero = RecordingZero()

    /// `opus` was checked.
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

    /// `former` is the track that this one takes the place of: what was asked of it since its making holds for this one.
    func sendTrack(
        _ choice: PeerMedia.Choice, to webrtcSink: Pad, mode: SendMode, after former: SendTrack? = nil
    ) throws(MediaError) -> SendTrack {
        let kind = choice.codec.kind
        guard var track = configuration.tracks[kind] else { throw .noCommonCodec(media: kind.rawValue) }
        let wishes = former?.encoder.wishes
        if let former { (track.source, track.processing) = (former.source, former.processing) }
        if let wishes { track.bitrateKbit = wishes.bitrateKbit }
        let sending = try SendTrack(
            track, opus: wishes?.opus ?? opus, codec: choice.codec, payloadType: choice.payloadType,
            description: catalog.encoder(of: choice.codec, chosen: track.encoders),
            telephoneEvent: choice.telephoneEvents.first, recorder: sent,
            pipeline: pipeline, webrtcSink: webrtcSink, mode: mode,
            keyFrameIntervalMs: configuration.tuning.keyFrameIntervalMs, probe: probe?.name,
            onUnprocessed: { [report] in report(.warning("the sound is sent unprocessed: \($0)")) },
            onFailure: { [report] in report(.event(PeerConnectionEvent(.captureFailed(kind, $0)))) },
            onChange: { [report] in report(.event(PeerConnectionEvent($0, of: kind))) })
        if kind == .video {
            sending.onPictureSize { [report] in
                report(.event(PeerConnectionEvent(.picturesSent(width: $0, height: $1))))
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
            outlet: outlets[kind], sink: sink(for: kind), recorder: received, pipeline: pipeline,
            report: { [report] in report(.event($0)) })
        if kind == .video {
            receiving.limitPictures { [report] in report(.bus($0)) }
            receiving.decoded.onPictureSize { [report] in
                report(.event(PeerConnectionEvent(.picturesReceived(width: $0, height: $1))))
            }
        }
        return receiving
    }

    /// What shows or plays one kind; nil when nobody is to see or hear it.
    private func sink(for kind: MediaKind) -> SinkPipeline? {
        let blueprint =
            kind == .video
            ? SinkBlueprint(configuration.videoSink, catalog) : SinkBlueprint(configuration.audioSink, catalog)
        guard !blueprint.isDiscard else { return nil }
        // What the jitter buffer holds back comes so much later than it was captured for, and a bit more.
        let latency = configuration.tuning.jitterBufferMs + 20
        return SinkPipeline(blueprint, outlet: outlets[kind], latencyMs: latency, probe: kind == .audio ? probe : nil) {
            [report] in
            report(.event(PeerConnectionEvent(.sinkFailed(kind, $0))))
        }
    }
}
