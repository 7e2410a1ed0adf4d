internal import Dispatch
internal import Synchronization

/// The sending half of one track: raw media from a capture, a gate, an encoder and a payloader.
final class SendTrack: Sendable {
    let kind: MediaKind
    let codec: Codec
    private let feed: CaptureFeed
    private let numbersPackets: Bool
    /// Nil for audio.
    private let keyFrames: KeyFrameLimit?
    /// Nil for audio.
    private let pacer: Pacer?
    /// Nil for audio, and for video whose rate cannot be changed.
    private let scaler: VideoScaler?
    private let proxy: Element
    private let bin: Element
    let encoder: EncoderControl
    private let encoderSource: Pad
    private let encoderSink: Pad
    private let gate: Gate
    private let blanking: Blanking
    /// The gate is opened on this queue, since opening may block.
    private let queue: DispatchQueue
    /// The pad of webrtcbin that the track is linked to.
    let webrtcSink: Pad
    private let counts: FlowCounts
    private let recording: RecordingTap?
    /// Nil for video.
    private let processor: AudioProcessor?
    /// Nil when the peer accepts no DTMF.
    let dtmf: DtmfSender?
    let payloadType: Int
    let ssrc: UInt32

    private struct State {
        var mode: SendMode
        /// Before the verification, only ``SendMode/off`` has an effect.
        var isVerified = false
        var opens: Bool { isVerified && (mode == .live || mode == .blank) }
    }
    private let state: Mutex<State>

    /// Builds the branch into `pipeline`, which may be running, and links it to `webrtcSink`, a sink pad of webrtcbin.
    ///
    /// With `numbersPackets` they get the extension of ``TransportFeedback`` once it is negotiated. `probe` is the name of the ``EchoProbe`` that taps
    /// the played audio; nil when no audio is played.
    /// `onFailure` runs when a capture cannot be opened again after the start, `onChange` when one is lost or restored.
    init(
        _ configuration: TrackConfiguration, opus: OpusParameters = OpusParameters(), codec: Codec, payloadType: Int,
        ssrc: UInt32 = .random(in: 1...UInt32.max), description: PipelineDescription,
        telephoneEvent: TelephoneEvent? = nil, recorder: Recorder? = nil, pipeline: Element, webrtcSink: Pad,
        mode: SendMode = .closed, numbersPackets: Bool = false,
        keyFrameIntervalMs: Int = TransportTuning().keyFrameIntervalMs,
        probe: String? = nil, onUnprocessed: @escaping @Sendable (MediaError) -> Void = { _ in },
        onFailure: @escaping @Sendable (MediaError) -> Void,
        onChange: @escaping @Sendable (CaptureChange) -> Void = { _ in }
    ) throws(MediaError) {
        kind = codec.kind
        queue = DispatchQueue(label: "send.\(codec.kind.rawValue)", qos: .userInitiated)
        self.codec = codec
        state = Mutex(State(mode: mode))
        self.webrtcSink = webrtcSink
        proxy = try Element("proxysrc")
        try Self.keepOnlyLatest(proxy, kind: codec.kind)
        self.payloadType = payloadType
        self.numbersPackets = numbersPackets
        self.ssrc = ssrc
        bin = try description.instantiate(["payload": String(payloadType), "ssrc": String(ssrc), "mtu": "1200"])
        self.encoder = try EncoderControl(
            of: bin, description, codec: codec, bitrateKbit: configuration.bitrateKbit, opus: opus)
        guard let encoder = bin.child("encoder") else { throw .noPad(element: description.name, pad: "encoder") }
        encoderSink = try encoder.pad("sink")
        encoderSource = try encoder.pad("src")
        guard let payloader = bin.child("payloader") else { throw .noPad(element: description.name, pad: "payloader") }
        try payloader.set("auto-header-extension", numbersPackets ? "true" : "false")
        recording = try recorder?.tap(codec, at: payloader.pad("sink"))
        let pacer = codec.kind == .video ? Pacer() : nil
        self.pacer = pacer
        // In front of the gate and the blanking: what they judge later was not there when waiting packets were discarded.
        pacer?.count(encoderSink)
        let counts = FlowCounts()
        let gate = Gate(at: encoderSink) { counts.begin(at: $0) }
        self.gate = gate
        self.counts = counts
        feed = CaptureFeed(
            of: configuration.source, to: proxy, onDetached: { gate.forget() }, onFailure: onFailure, onChange: onChange
        )
        // Behind the gate, since a buffer that the gate keeps passes here only when the gate opens.
        if codec.kind == .video { encoderSink.keepTimeRising() }
        // Behind the gate, which keeps the latest frame as it was captured.
        blanking = Blanking(at: encoderSink, kind: codec.kind)
        if codec.kind == .video {
            proxy.child(madeBy: "queue")?.watch("overrun") { _ in if gate.isOpen { counts.drop() } }
        }
        pipeline.add(proxy)
        pipeline.add(bin)
        // A capture that ends would end all media of the call: webrtcbin's funnel forwards the first end of stream.
        try proxy.pad("src").interceptEndOfStream()
        if codec.kind == .audio {
            processor = try AudioProcessor(
                configuration.processing, from: proxy.pad("src"), to: bin.pad("sink"), probe: probe, pipeline: pipeline,
                onFailure: onUnprocessed)
        } else {
            processor = nil
        }
        if codec.kind == .video, self.encoder.followsRate {
            scaler = try VideoScaler(after: proxy, in: pipeline)
            try scaler?.link(to: bin)
        } else {
            scaler = nil
            if codec.kind == .video { try proxy.link(to: bin) }
        }
        if let telephoneEvent {
            dtmf = try DtmfSender(
                telephoneEvent, clockRate: codec.clockRate, ssrc: ssrc, from: bin.pad("src"), to: webrtcSink,
                pipeline: pipeline)
        } else {
            dtmf = nil
            try bin.pad("src").link(to: webrtcSink)
        }
        if codec.kind == .video {
            let limit = KeyFrameLimit(interval: .milliseconds(keyFrameIntervalMs), on: queue) { [encoderSource] in
                encoderSource.forceKeyFrame()
            }
            // Only the peer's requests pass this pad.
            try bin.pad("src").limitKeyFrameRequests { limit.admits() }
            keyFrames = limit
            // The peer cannot decode what follows a gap.
            try pacer?.pace(payloader.pad("src")) { [queue, encoderSource] in
                queue.async { encoderSource.forceKeyFrame() }
            }
        } else {
            keyFrames = nil
        }
        try bin.syncStateWithParent()
        try scaler?.syncStateWithParent()
        try proxy.syncStateWithParent()
    }

    /// Whether the element of this path is part of the track.
    func contains(_ path: String) -> Bool {
        proxy.contains(path) || bin.contains(path) || processor?.contains(path) == true
            || scaler?.contains(path) == true || dtmf?.contains(path) == true
    }

    /// The transceiver that webrtcbin made when the pad was requested; requesting the transceiver first would make two.
    var transceiver: AnyGObject? { webrtcSink.object("transceiver") }

    /// The mode that was requested last.
    var mode: SendMode { state.withLock { $0.mode } }

    /// The source of the sent media; nil when there is none.
    var source: CaptureSource? { feed.source }

    /// Starts to feed the encoder, unless the mode is ``SendMode/off``; nothing is sent before ``peerVerified()``.
    ///
    /// - Throws: ``MediaError`` when the capture cannot be opened.
    nonisolated(nonsending) func start() async throws(MediaError) {
        feed.want(mode != .off)
        try await feed.start()
    }

    /// Announces the stream to the RTP session, before its first packet.
    func announce(to session: Element) throws(MediaError) {
        try RtcpTableRace.announce(codec, payloadType: payloadType, ssrc: ssrc, to: session)
    }

    /// From now on the mode decides what is sent.
    func peerVerified() {
        state.withLock { $0.isVerified = true }
        open()
    }

    /// Changes the mode: sending less takes effect at once, sending more as soon as possible.
    func set(_ mode: SendMode) {
        let opens = state.withLock { state in
            state.mode = mode
            return state.opens
        }
        // Also with the gate closed, so that captured media can never pass.
        blanking.set(mode != .live)
        if mode != .live { pacer?.discard() }
        // When it is turned off, no frame is kept: it would be sent first when it is turned on again.
        if !opens { gate.close(keepingLatest: mode != .off) }
        feed.want(mode != .off)
        if opens { open() }
    }

    /// Sends the media of another capture from now on, in the same mode.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened; the present one then continues.
    nonisolated(nonsending) func change(to source: CaptureSource) async throws(MediaError) {
        try await feed.change(to: source)
        if kind == .video { encoderSource.forceKeyFrame() }
    }

    /// Sends a key frame next.
    func forceKeyFrame() { encoderSource.forceKeyFrame() }

    /// Sends a key frame soon, with those that the peer asks for.
    func requestKeyFrame() { keyFrames?.request() }

    /// Keeps the rate of the encoder within what the path takes, in kbit/s; nil: it takes everything.
    func limit(toKbit availableKbit: Int?) {
        // The encoder may be busy.
        queue.async { [encoder] in
            // A property that the encoder has at all has been set before.
            try? encoder.limit(toKbit: availableKbit)
        }
    }

    /// The captured frames; nil before the first one, and when they are not scaled.
    var capture: VideoLadder.Capture? { scaler?.capture }

    /// Sends a part of the captured frames.
    func scale(to step: VideoLadder.Step) {
        queue.async { [scaler, encoder] in
            scaler?.set(step)
            // A property that the encoder has at all has been set before.
            try? encoder.expect(oneOf: step.every)
        }
    }

    /// Spreads the packets of large frames, at this rate in bit/s; nil: not at all.
    func pace(at bitrate: Double?) { pacer?.set(bitrate: bitrate) }

    /// How many frames or audio buffers passed the gate.
    var framesSent: Int { gate.passed }

    /// Whether a queue on the path is full: key frames are rarer then.
    func setCongested(_ isCongested: Bool) { keyFrames?.setCongested(isCongested) }

    /// Numbers packets from now on if the track was made to do so: the caps of `webrtcSink` have the extension now.
    func beginNumbering() throws(MediaError) {
        if numbersPackets { try bin.child("payloader")?.pad("src").markReconfigure() }
    }

    /// Changes the processing of the audio.
    func process(_ processing: AudioProcessing) { processor?.set(processing) }

    /// The processing of the audio.
    var processing: AudioProcessing { processor?.wanted ?? .off }

    /// Opens the gate: the latest frame passes first, as a key frame; an open gate stays as it is.
    ///
    /// Runs on its own queue: webrtcbin blocks senders until its m-line is negotiated, forever if it never is.
    private func open() {
        queue.async { [self] in
            guard !gate.isOpen, state.withLock({ $0.opens }) else { return }
            if kind == .video { encoderSource.forceKeyFrame() }
            gate.open { state.withLock { $0.opens } }
        }
    }

    /// Starts or stops to record the sent media.
    func setRecording(_ isOpen: Bool) { if isOpen { recording?.open() } else { recording?.close() } }

    /// Reports the size of the encoded frames whenever it changes; on the streaming thread.
    func onFrameSize(_ handler: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
        encoderSink.onFrameSize(handler)
    }

    /// Stops sending and releases the capture permanently.
    func end() async {
        set(.off)
        await feed.end()
    }

    /// Removes the track from `pipeline` before anything was sent, so that another one can replace it at ``webrtcSink``.
    nonisolated(nonsending) func remove(from pipeline: Element) async {
        await end()
        webrtcSink.unlinkFromPeer()
        dtmf?.remove()
        processor?.remove()
        scaler?.remove(from: pipeline)
        for element in [proxy, bin] { pipeline.remove(element) }
    }

    var statistics: PeerStatistics.Sent {
        let caps = encoderSink.caps?.fields
        let limitation = encoder.limitation
        return PeerStatistics.Sent(
            codec: codec, width: caps?["width"]?.intValue, height: caps?["height"]?.intValue, frames: gate.passed,
            toneHz: feed.source?.toneHz, framesDropped: kind == .video ? counts.dropped : nil,
            targetBitrate: encoder.targetBitrate, isLimitedByBandwidth: limitation.isNow,
            limitedByBandwidthSeconds: limitation.seconds, seconds: counts.seconds)
    }

    /// Lets the proxy's own queue drop the oldest buffers, so that a slow encoder never blocks the shared capture.
    static func keepOnlyLatest(_ proxy: Element, kind: MediaKind) throws(MediaError) {
        guard let queue = proxy.child(madeBy: "queue") else { return }
        try queue.set("leaky", "downstream")
        try queue.set("max-size-buffers", kind == .video ? "2" : "20")
        try queue.set("max-size-bytes", "0")
        try queue.set("max-size-time", "0")
    }
}
