internal import Dispatch
internal import Synchronization

/// One of the smaller versions of a video that are sent beside it (simulcast): a scaler, an encoder and a payloader of its own.
final class SimulcastEncoding: Sendable {
    /// The streams of one version.
    struct Sources: Sendable, Equatable {
        var ssrc = UInt32.random(in: 1...UInt32.max)
        /// Of the packets that are sent again (RFC 4588).
        var retransmission = UInt32.random(in: 1...UInt32.max)
    }

    let sources: Sources
    /// The end of its elements, which gives packets.
    let bin: Element
    private let control: EncoderControl
    /// A frame that waits here for the encoder gives way to the next one.
    private let queue: Element
    private let scaler: VideoScaler
    /// Where frames enter the encoder, behind the blanking.
    let encoderSink: Pad
    private let encoderSource: Pad
    private let blanking: Blanking
    /// Whether a frame that waits is not sent any more.
    private let isClosed = Mutex(true)
    private let keyFrames: KeyFrameLimit
    private let encoded = Mutex(0)

    /// Adds the elements to `pipeline`, behind `tee`.
    ///
    /// Its frames are `scale` times smaller than those of the tee in each direction. Its encoder gets `weight` of the rate that is requested for these,
    /// and `portion` of what the path takes. `tasks` is the queue of the track.
    init(
        scaledDownBy scale: Int, weight: Double, portion: Double, _ sources: Sources, behind tee: Element,
        _ description: PipelineDescription, codec: Codec, payloadType: Int, bitrateKbit: Int, numbersPackets: Bool,
        keyFrameIntervalMs: Int, on tasks: DispatchQueue, in pipeline: Element
    ) throws(MediaError) {
        self.sources = sources
        let branch = try SendBranch.encoder(
            description, payloadType: payloadType, ssrc: sources.ssrc, numbersPackets: numbersPackets)
        bin = branch.bin
        control = try EncoderControl(
            of: bin, description, codec: codec, bitrateKbit: bitrateKbit, opus: OpusParameters(), weight: weight,
            portion: portion)
        queue = try Element("queue")
        for (property, value) in [
            ("leaky", "downstream"), ("max-size-buffers", "1"), ("max-size-bytes", "0"), ("max-size-time", "0"),
        ] { try queue.set(property, value) }
        for element in [queue, bin] { pipeline.add(element) }
        // The scaler would prefer its own size for the frames of the tee, too.
        try queue.pad("sink").answerAnyCaps()
        try queue.pad("src").refuseReconfiguration()
        try tee.link(to: queue)
        scaler = try VideoScaler(after: queue, in: pipeline, preference: .balanced, isLimited: { false })
        scaler.allow(VideoLadder.Step(scale: 1 / Double(scale)))
        _ = scaler.update()
        try scaler.link(to: bin)
        (encoderSink, encoderSource) = (try branch.encoder.pad("sink"), try branch.encoder.pad("src"))
        // Behind the gate and the blanking of all versions, for a frame that waited in the queue since before a change of the mode.
        blanking = Blanking(at: encoderSink, kind: .video)
        if SteadyFrameTimes.areNeeded(by: branch.encoder.factoryName) {
            let steady = SteadyFrameTimes()
            steady.regulate(encoderSink, encoderSource)
            queue.watch("overrun") { _ in steady.noteDropped() }
        }
        keyFrames = KeyFrameLimit(interval: .milliseconds(keyFrameIntervalMs), on: tasks) {
            [encoderSource] in encoderSource.forceKeyFrame()
        }
        // The pads own the handlers, which must not own the pads.
        encoderSink.probe { [weak self] _ in self?.isClosed.withLock { $0 } == false ? .pass : .drop }
        encoderSource.probe { [weak self] _ in
            self?.encoded.withLock { $0 += 1 }
            return .pass
        }
    }

    func syncStateWithParent() throws(MediaError) {
        try bin.syncStateWithParent()
        try scaler.syncStateWithParent()
        try queue.syncStateWithParent()
    }

    func remove(from pipeline: Element) {
        scaler.remove(from: pipeline)
        for element in [queue, bin] { pipeline.remove(element) }
    }

    func contains(_ path: String) -> Bool { queue.contains(path) || bin.contains(path) || scaler.contains(path) }

    /// Sends no other frames than those of this mode, from the next one on.
    func set(_ mode: SendMode) {
        blanking.set(mode != .live)
        isClosed.withLock { $0 = mode != .live && mode != .blank }
    }

    /// Makes the next frame a key frame.
    func forceKeyFrame() { encoderSource.forceKeyFrame() }

    /// Sends a key frame soon, as the peer asks.
    func requestKeyFrame() { keyFrames.request() }

    /// Whether a queue on the path is full, and how long it takes to empty: key frames wait for that.
    func setCongested(_ isCongested: Bool, backlog: Duration?) { keyFrames.setCongested(isCongested, backlog: backlog) }

    /// Sets the rate of the largest version that is requested, in kbit/s.
    func set(bitrateKbit: Int) throws(MediaError) { try control.set(bitrateKbit: bitrateKbit) }

    /// Keeps the rate within its portion of what the path takes of all versions; nil: it takes everything.
    func limit(toKbit availableKbit: Int?) throws(MediaError) { try control.limit(toKbit: availableKbit) }

    /// One of so many captured frames arrives from now on.
    func expect(oneOf every: Int) throws(MediaError) { try control.expect(oneOf: every) }

    func agree(with section: MediaSection, payloadType: Int) throws(MediaError) {
        try control.agree(with: section, payloadType: payloadType)
    }

    /// Numbers packets from now on, if it was made to do so.
    func beginNumbering() throws(MediaError) { try bin.child("payloader")?.pad("src").markReconfigure() }

    var statistics: PeerStatistics.Sent.Encoding {
        let caps = encoderSink.caps?.fields
        return PeerStatistics.Sent.Encoding(
            width: caps?["width"]?.intValue, height: caps?["height"]?.intValue, frames: encoded.withLock { $0 },
            targetBitrate: control.targetBitrate)
    }
}
