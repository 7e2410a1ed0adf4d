internal import Dispatch
internal import Synchronization

/// What one call sends of one kind: raw frames from a capture, a gate, an encoder and a payloader.
final class SendTrack: Sendable {
    let kind: MediaKind
    let codec: Codec
    private let feed: CaptureFeed
    private let proxy: Element
    private let bin: Element
    let encoder: EncoderControl
    private let encoderSource: Pad
    private let encoderSink: Pad
    private let gate: Gate
    private let blanking: Blanking
    /// Openings take their turn here, since they may be held up.
    private let queue: DispatchQueue
    /// The pad of webrtcbin that the track is linked to.
    let webrtcSink: Pad
    private let recording: RecordingTap?
    /// Nil for pictures.
    private let processor: AudioProcessor?
    /// Nil when the peer is not to hear keys.
    let dtmf: DtmfSender?
    let payloadType: Int
    let ssrc: UInt32

    private struct State {
        var mode: SendMode
        /// Nothing but ``SendMode/off`` counts before.
        var isVerified = false
        var opens: Bool { isVerified && (mode == .live || mode == .blank) }
    }
    private let state: Mutex<State>

    /// Builds the branch into `pipeline`, which may be running, and links it to `webrtcSink`, a sink pad of webrtcbin.
    ///
    /// `probe` is the name of what hears what is played, for the echo; nil when nothing is heard.
    /// `onFailure` hears of a capture that cannot be opened again after the start, `onChange` of one that goes and comes back.
    init(
        _ configuration: TrackConfiguration, opus: OpusParameters = OpusParameters(), codec: Codec, payloadType: Int,
        description: PipelineDescription,
        telephoneEvent: TelephoneEvent? = nil, recorder: Recorder? = nil, pipeline: Element, webrtcSink: Pad,
        mode: SendMode = .closed, keyFrameIntervalMs: Int = TransportTuning().keyFrameIntervalMs,
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
        ssrc = UInt32.random(in: 1...UInt32.max)
        bin = try description.instantiate(["payload": String(payloadType), "ssrc": String(ssrc), "mtu": "1200"])
        self.encoder = try EncoderControl(
            of: bin, description, codec: codec, bitrateKbit: configuration.bitrateKbit, opus: opus)
        guard let encoder = bin.child("encoder") else { throw .noPad(element: description.name, pad: "encoder") }
        encoderSink = try encoder.pad("sink")
        encoderSource = try encoder.pad("src")
        guard let payloader = bin.child("payloader") else { throw .noPad(element: description.name, pad: "payloader") }
        recording = try recorder?.tap(codec, at: payloader.pad("sink"))
        let gate = Gate(at: encoderSink) { _ in }
        self.gate = gate
        feed = CaptureFeed(
            of: configuration.source, to: proxy, onDetached: { gate.forget() }, onFailure: onFailure, onChange: onChange
        )
        // Behind the gate, since what it keeps for later passes here only then.
        if codec.kind == .video { encoderSink.keepTimeRising() }
        // Behind the gate, which keeps the latest picture as it was captured.
        blanking = Blanking(at: encoderSink, kind: codec.kind)
        pipeline.add(proxy)
        pipeline.add(bin)
        // A capture that ends would end all media of the call: webrtcbin's funnel forwards the first end it sees.
        try proxy.pad("src").interceptEndOfStream()
        if codec.kind == .audio {
            processor = try AudioProcessor(
                configuration.processing, from: proxy.pad("src"), to: bin.pad("sink"), probe: probe, pipeline: pipeline,
                onFailure: onUnprocessed)
        } else {
            processor = nil
            try proxy.link(to: bin)
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
            // Where only what the peer asks for passes.
            try bin.pad("src").limitKeyFrameRequests { limit.admits() }
        }
        for element in [bin, proxy] { try element.syncStateWithParent() }
    }

    /// Whether the element of this path is part of the track.
    func contains(_ path: String) -> Bool {
        proxy.contains(path) || bin.contains(path) || processor?.contains(path) == true || dtmf?.contains(path) == true
    }

    /// What webrtcbin made for the track when its pad was requested; asking for it first would make two.
    var transceiver: AnyGObject? { webrtcSink.object("transceiver") }

    /// What was last asked for.
    var mode: SendMode { state.withLock { $0.mode } }

    /// Where what is sent comes from; nil when there is none.
    var source: CaptureSource? { feed.source }

    /// Begins to feed the encoder, unless the mode is ``SendMode/off``; nothing is sent before ``verified()``.
    ///
    /// - Throws: ``MediaError`` when the capture cannot be opened.
    nonisolated(nonsending) func start() async throws(MediaError) {
        feed.want(mode != .off)
        try await feed.start()
    }

    /// Tells the RTP session what will come, before anything does.
    func announce(to session: Element) throws(MediaError) {
        try RtcpTableRace.announce(codec, payloadType: payloadType, ssrc: ssrc, to: session)
    }

    /// From here on the mode decides what is sent.
    func verified() {
        state.withLock { $0.isVerified = true }
        open()
    }

    /// Sends less at once, and more as soon as that is possible.
    func set(_ mode: SendMode) {
        let opens = state.withLock { state in
            state.mode = mode
            return state.opens
        }
        // Also with the gate shut, so that nothing of the captured is let out whatever happens.
        blanking.set(mode != .live)
        // Of what is turned off nothing is kept: it would be the first thing sent when it is turned on again.
        if !opens { gate.close(keepingLatest: mode != .off) }
        feed.want(mode != .off)
        if opens { open() }
    }

    /// Sends what another capture gives from now on, in the same mode.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened; the present one goes on then.
    nonisolated(nonsending) func change(to source: CaptureSource) async throws(MediaError) {
        try await feed.change(to: source)
        if kind == .video { encoderSource.forceKeyFrame() }
    }

    /// Processes the sound so from now on.
    func process(_ processing: AudioProcessing) { processor?.set(processing) }

    /// What is done to the sound.
    var processing: AudioProcessing { processor?.wanted ?? .off }

    /// The latest picture goes first, as a key frame; an open gate stays as it is.
    ///
    /// Done on a queue of its own: webrtcbin holds up whoever sends before its m-line is negotiated, for ever if it never is.
    private func open() {
        queue.async { [self] in
            guard !gate.isOpen, state.withLock({ $0.opens }) else { return }
            if kind == .video { encoderSource.forceKeyFrame() }
            gate.open { state.withLock { $0.opens } }
        }
    }

    /// Records what is sent from now on, or no more.
    func setRecording(_ isOpen: Bool) { if isOpen { recording?.open() } else { recording?.close() } }

    /// Tells the size of the pictures that are encoded, whenever it changes; on the streaming thread.
    func onPictureSize(_ handler: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
        encoderSink.onPictureSize(handler)
    }

    /// Sends nothing any more, and lets go of the capture for good.
    func end() async {
        set(.off)
        await feed.end()
    }

    /// Takes the track out of `pipeline` before anything was sent, so that another one may take its place at ``webrtcSink``.
    nonisolated(nonsending) func remove(from pipeline: Element) async {
        await end()
        webrtcSink.unlinkFromPeer()
        dtmf?.remove()
        processor?.remove()
        for element in [proxy, bin] { pipeline.remove(element) }
    }

    var statistics: PeerStatistics.Sent {
        let caps = encoderSink.caps?.fields
        return PeerStatistics.Sent(
            codec: codec, width: caps?["width"]?.intValue, height: caps?["height"]?.intValue, frames: gate.passed,
            toneHz: feed.source?.toneHz)
    }

    /// The proxy's own queue throws the oldest frames away, so that a slow encoder never holds up the capture that others share.
    static func keepOnlyLatest(_ proxy: Element, kind: MediaKind) throws(MediaError) {
        guard let queue = proxy.child(madeBy: "queue") else { return }
        try queue.set("leaky", "downstream")
        try queue.set("max-size-buffers", kind == .video ? "2" : "20")
        try queue.set("max-size-bytes", "0")
        try queue.set("max-size-time", "0")
    }
}
