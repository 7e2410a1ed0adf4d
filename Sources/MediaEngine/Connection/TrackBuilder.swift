/// Builds the tracks of a peer connection into its pipeline, and connects them with its outputs.
struct TrackBuilder: Sendable {
    private let configuration: PeerConnectionConfiguration
    private let opus: OpusParameters
    private let outputs: MediaOutputs
    /// The name of the probe of the played audio; nil when there is none for this connection.
    private let probe: String?
    private let catalog: PipelineCatalog
    private let pipeline: Element
    private let report: @Sendable (PeerPipeline.Report) -> Void

    /// `opus` must be checked already.
    init(
        _ configuration: PeerConnectionConfiguration, opus: OpusParameters, outputs: MediaOutputs, probe: String?,
        catalog: PipelineCatalog, pipeline: Element, report: @escaping @Sendable (PeerPipeline.Report) -> Void
    ) {
        self.configuration = configuration
        self.opus = opus
        (self.outputs, self.probe) = (outputs, probe)
        self.catalog = catalog
        self.pipeline = pipeline
        self.report = report
    }

    /// `former` is the track that this one replaces: its later settings apply to this one, too.
    func sendTrack(
        _ choice: PeerMedia.Choice, to webrtcSink: Pad, mode: SendMode, after former: SendTrack? = nil
    ) throws(MediaError) -> SendTrack {
        let kind = choice.codec.kind
        guard var track = configuration.tracks[choice.track] else { throw .noCommonCodec(media: kind.rawValue) }
        let requested = former?.encoder.requested
        if let former { (track.source, track.processing) = (former.source, former.processing) }
        // The offer names no other versions.
        if let former, former.simulcast == nil { track.simulcastScales = [] }
        if let requested { track.bitrateKbit = requested.bitrateKbit }
        let id = choice.track
        let sending = try SendTrack(
            id, track, opus: requested?.opus ?? opus, codec: choice.codec, payloadType: choice.payloadType,
            // The offer names that of the track that it was made with.
            ssrc: former?.ssrc ?? .random(in: 1...UInt32.max),
            description: catalog.encoder(of: choice.codec, chosen: track.encoders),
            telephoneEvent: choice.telephoneEvents.first, recorder: track.direction.sends ? outputs.sent : nil,
            pipeline: pipeline, webrtcSink: webrtcSink, mode: mode,
            // The rate of audio does not follow the path.
            numbersPackets: kind == .video && configuration.tuning.followsBandwidth,
            keyFrameIntervalMs: configuration.tuning.keyFrameIntervalMs,
            formerSimulcast: former?.simulcast, probe: probe,
            onUnprocessed: { [report] in report(.warning("the audio is sent unprocessed: \($0)")) },
            onUnshared: { [report] in report(.warning("no encoder is shared with other calls: \($0)")) },
            onFailure: { [report] in report(.event(PeerConnectionEvent(.captureFailed(id, $0)))) },
            onChange: { [report] in report(.event(PeerConnectionEvent($0, of: id))) },
            onAdaptation: { [report] in report(.event(PeerConnectionEvent(.videoAdapted($0, of: id)))) })
        if kind == .video {
            sending.onFrameSize { [report] in
                report(.event(PeerConnectionEvent(.frameSizeSent(width: $0, height: $1, of: id))))
            }
        }
        return sending
    }

    /// A recording does not wait for what the peer does not send.
    func receiveTrack(_ choice: PeerMedia.Choice, isSentByPeer: Bool) throws(MediaError) -> ReceiveTrack {
        let kind = choice.codec.kind
        let id = choice.track
        let receiving = try ReceiveTrack(
            id, codec: choice.codec, decoder: catalog.description(of: choice.codec, role: .decoder),
            values: choice.codec == .opus ? opus.decoderValues(isStereo: choice.isStereo) : [:],
            usesCopies: choice.codec == .opus && opus.errorCorrection != .never,
            discard: catalog.description("discard", role: kind == .video ? .videoSink : .audioSink),
            outputs: outputs, recorder: isSentByPeer ? outputs.received : nil, decoding: configuration.decoding,
            maxReceiveKbit: configuration.tracks[id]?.maxReceiveKbit, pipeline: pipeline,
            report: { [report] in report(.event($0)) })
        if kind == .video {
            receiving.limitFrameSize { [report] in report(.bus($0)) }
            receiving.decoded.onFrameSize { [report] in
                report(.event(PeerConnectionEvent(.frameSizeReceived(width: $0, height: $1, of: id))))
            }
        }
        return receiving
    }
}
