/// Builds the tracks of a peer connection into its pipeline.
struct TrackBuilder: Sendable {
    let configuration: PeerConnectionConfiguration
    /// Checked.
    let opus: OpusParameters
    let catalog: PipelineCatalog
    let pipeline: Element
    let recorder: Recorder?
    let report: @Sendable (PeerPipeline.Report) -> Void

    /// `former` is the track that this one takes the place of: what was asked of it since its making holds for this one.
    func sendTrack(
        _ choice: PeerMedia.Choice, to webrtcSink: Pad, mode: SendMode, after former: SendTrack? = nil
    ) throws(MediaError) -> SendTrack {
        let kind = choice.codec.kind
        guard var track = configuration.tracks[kind] else { throw .noCommonCodec(media: kind.rawValue) }
        let wishes = former?.encoder.wishes
        if let former { track.source = former.source }
        if let wishes { track.bitrateKbit = wishes.bitrateKbit }
        return try SendTrack(
            track, opus: wishes?.opus ?? opus, codec: choice.codec, payloadType: choice.payloadType,
            description: catalog.encoder(of: choice.codec, chosen: track.encoders),
            telephoneEvent: choice.telephoneEvent,
            pipeline: pipeline, webrtcSink: webrtcSink, mode: mode,
            onFailure: { [report] in report(.event(PeerConnectionEvent(.captureFailed(kind, $0)))) },
            onChange: { [report] in report(.event(PeerConnectionEvent($0, of: kind))) })
    }

    func receiveTrack(_ choice: PeerMedia.Choice) throws(MediaError) -> ReceiveTrack {
        let codec = choice.codec
        if recorder != nil, !codec.fitsMatroska {
            report(.warning("\(codec.encodingName) cannot be recorded: Matroska does not hold it"))
        }
        return try ReceiveTrack(
            codec: codec, decoder: catalog.description(of: codec, role: .decoder),
            sink: catalog.description("discard", role: codec.kind == .video ? .videoSink : .audioSink),
            recorder: codec.fitsMatroska ? recorder : nil, pipeline: pipeline,
            report: { [report] in report(.event($0)) })
    }
}
