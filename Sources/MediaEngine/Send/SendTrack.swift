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
    /// Nil when the track always has an encoder of its own.
    private let sharing: EncoderSharing?
    private let encoderName: String

    private struct State {
        var mode: SendMode
        /// Whether another track's encoder makes what is sent.
        var isShared = false
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
        try proxy.keepOnlyLatest(codec.kind)
        self.payloadType = payloadType
        self.numbersPackets = numbersPackets
        self.ssrc = ssrc
        bin = try description.instantiate(["payload": String(payloadType), "ssrc": String(ssrc), "mtu": "1200"])
        encoderName = description.name
        encoder = try EncoderControl(
            of: bin, description, codec: codec, bitrateKbit: configuration.bitrateKbit, opus: opus)
        guard let element = bin.child("encoder") else { throw .noPad(element: description.name, pad: "encoder") }
        encoderSink = try element.pad("sink")
        encoderSource = try element.pad("src")
        guard let payloader = bin.child("payloader") else { throw .noPad(element: description.name, pad: "payloader") }
        try payloader.set("auto-header-extension", numbersPackets ? "true" : "false")
        recording = try recorder?.tap(codec, at: payloader.pad("sink"))
        let pacer = codec.kind == .video ? Pacer() : nil
        self.pacer = pacer
        // In front of the gate and the blanking: what they judge later was not there when waiting packets were discarded.
        pacer?.count(encoderSink)
        // In front of the gate, whose latest frame may have been sent by another encoder.
        let canShare = configuration.sharesEncoder && (codec.kind == .video || codec == .opus)
        sharing =
            canShare
            ? try EncoderSharing(
                codec.kind, description, in: bin, encoderSink: encoderSink, keyFrameIntervalMs: keyFrameIntervalMs,
                queue: queue) : nil
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
        if codec.kind == .video, encoder.followsRate {
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
            let makeKeyFrame = { @Sendable [encoderSource, sharing] in
                if sharing?.requestKeyFrame() != true { encoderSource.forceKeyFrame() }
            }
            let limit = KeyFrameLimit(interval: .milliseconds(keyFrameIntervalMs), on: queue, make: makeKeyFrame)
            // Only the peer's requests pass this pad.
            try bin.pad("src").interceptKeyFrameRequests { limit.request() }
            keyFrames = limit
            // The peer cannot decode what follows a gap.
            try pacer?.pace(payloader.pad("src")) { [queue] in queue.async(execute: makeKeyFrame) }
        } else {
            keyFrames = nil
        }
        try bin.syncStateWithParent()
        try scaler?.syncStateWithParent()
        try proxy.syncStateWithParent()
        sharing?.notify(
            EncoderSharing.Events(
                onShared: { [weak self] in self?.setShared($0) }, onChance: { [weak self] in self?.reconsiderSharing() },
                onChange: onChange, onDrop: { counts.drop() }))
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
        feedEncoder()
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
        if mode != .live { sharing?.stop() }
        // Also with the gate closed, so that captured media can never pass.
        blanking.set(mode != .live)
        if mode != .live { pacer?.discard() }
        // When it is turned off, no frame is kept: it would be sent first when it is turned on again.
        if !opens { gate.close(keepingLatest: mode != .off) }
        feedEncoder()
        if opens { open() }
        reconsiderSharing()
    }

    /// Sends the media of another capture from now on, in the same mode.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened; the present one then continues.
    nonisolated(nonsending) func change(to source: CaptureSource) async throws(MediaError) {
        await leaveSharedEncoder()
        defer { reconsiderSharing() }
        try await feed.change(to: source)
        if kind == .video { encoderSource.forceKeyFrame() }
    }

    /// Sends a key frame next.
    func forceKeyFrame() { if sharing?.requestKeyFrame() != true { encoderSource.forceKeyFrame() } }

    /// Sends a key frame soon, with those that the peer asks for.
    func requestKeyFrame() { keyFrames?.request() }

    /// Keeps the rate of the encoder within what the path takes, in kbit/s; nil: it takes everything.
    func limit(toKbit availableKbit: Int?) {
        // The encoder may be busy.
        queue.async { [encoder] in
            // A property that the encoder has at all has been set before.
            try? encoder.limit(toKbit: availableKbit)
        }
        reconsiderSharing()
    }

    /// Changes the rate that is requested.
    func set(bitrateKbit: Int) throws(MediaError) {
        try encoder.set(bitrateKbit: bitrateKbit)
        reconsiderSharing()
    }

    /// Changes the parameters of Opus that are requested.
    func set(_ opus: OpusParameters) throws(MediaError) {
        try encoder.set(opus)
        reconsiderSharing()
    }

    /// Applies what the peer's description says about the sent format.
    func agree(with section: MediaSection) throws(MediaError) {
        try encoder.agree(with: section, payloadType: payloadType)
        reconsiderSharing()
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
        reconsiderSharing()
    }

    /// Spreads the packets of large frames, at this rate in bit/s; nil: not at all.
    func pace(at bitrate: Double?) { pacer?.set(bitrate: bitrate) }

    /// How many frames or audio buffers were sent.
    var framesSent: Int { gate.passed + (sharing?.passed ?? 0) }

    /// Whether a queue on the path is full: key frames are rarer then.
    func setCongested(_ isCongested: Bool) { keyFrames?.setCongested(isCongested) }

    /// Numbers packets from now on if the track was made to do so: the caps of `webrtcSink` have the extension now.
    func beginNumbering() throws(MediaError) {
        if numbersPackets { try bin.child("payloader")?.pad("src").markReconfigure() }
    }

    /// Changes the processing of the audio.
    func process(_ processing: AudioProcessing) {
        processor?.set(processing)
        reconsiderSharing()
    }

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
            reconsiderSharing()
        }
    }

    /// Feeds the own encoder, unless nothing is sent or another one makes what is sent.
    private func feedEncoder() { feed.want(state.withLock { $0.mode != .off && !$0.isShared }) }

    /// Shares an encoder if nothing sets this track apart, and has its own one otherwise.
    private func reconsiderSharing() {
        guard let sharing else { return }
        queue.async { [weak self] in if let self { sharing.use(sharingTarget) } }
    }

    private var sharingTarget: EncoderSharing.Target? {
        let isScaled = scaler.map { $0.step != VideoLadder.Step() } ?? false
        guard state.withLock({ $0.isVerified && $0.mode == .live }), gate.isOpen, let source = feed.source,
            !encoder.limitation.isNow, !isScaled, processing == .off
        else { return nil }
        return EncoderSharing.Target(
            source: source, format: SharedEncoder.Format(description: encoderName, values: encoder.values))
    }

    /// Another encoder makes what is sent, or does not any more.
    private func setShared(_ isShared: Bool) {
        queue.async { [weak self] in
            guard let self else { return }
            state.withLock { $0.isShared = isShared }
            if isShared {
                feedEncoder()
                Task { [weak self] in
                    await self?.feed.settle()
                    self?.restEncoder()
                }
            } else {
                // It cannot fail: nothing of it is new.
                try? proxy.syncStateWithParent()
                if kind == .video { encoderSource.forceKeyFrame() }
                feedEncoder()
            }
        }
    }

    /// Ends the thread of the own encoder while it gets nothing.
    private func restEncoder() {
        queue.async { [weak self] in
            guard let self, state.withLock({ $0.isShared }) else { return }
            try? proxy.setState(.ready)
        }
    }

    private func leaveSharedEncoder() async {
        guard let sharing else { return }
        await withCheckedContinuation { continuation in
            queue.async {
                sharing.use(nil)
                continuation.resume()
            }
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
        await leaveSharedEncoder()
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
        let caps = (sharing?.caps ?? encoderSink.caps)?.fields
        let limitation = encoder.limitation
        return PeerStatistics.Sent(
            codec: codec, width: caps?["width"]?.intValue, height: caps?["height"]?.intValue, frames: framesSent,
            toneHz: feed.source?.toneHz, framesDropped: kind == .video ? counts.dropped : nil,
            targetBitrate: encoder.targetBitrate, isLimitedByBandwidth: limitation.isNow,
            limitedByBandwidthSeconds: limitation.seconds,
            sharesEncoder: sharing?.isShared ?? false, seconds: counts.seconds)
    }
}
