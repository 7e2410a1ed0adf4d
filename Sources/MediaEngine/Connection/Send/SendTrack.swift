internal import Dispatch
internal import Synchronization

/// The sending half of one track: raw media from a capture, a gate, an encoder and a payloader.
final class SendTrack: Sendable {
    let id: TrackID
    let codec: Codec
    private let feed: CaptureFeed
    private let numbersPackets: Bool
    /// Nil for audio.
    private let video: VideoRate?
    private let proxy: Element
    private let bin: Element
    let encoder: EncoderControl
    private let own: OwnEncoder
    /// The smaller versions of the video; nil when there are none.
    let simulcast: Simulcast?
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
        /// Before the verification, only ``SendMode/off`` has an effect.
        var isVerified = false
        /// How many changes of the source are under way.
        var sourceChanges = 0
        var opens: Bool { isVerified && (mode == .live || mode == .blank) }
    }
    private let state: Mutex<State>

    /// Builds the branch into `pipeline`, which may be running, and links it to `webrtcSink`, a sink pad of webrtcbin.
    ///
    /// With `numbersPackets` they get the extension of ``TransportFeedback`` once it is negotiated. `probe` is the name of the ``EchoProbes`` that taps
    /// the played audio; nil when no audio is played.
    /// `onFailure` runs when a capture cannot be opened again after the start, `onChange` when one is lost or restored, `onUnshared` when a shared encoder fails,
    /// `onAdaptation` when other frames are sent of the captured ones.
    init(
        _ id: TrackID, _ configuration: TrackConfiguration, opus: OpusParameters = OpusParameters(), codec: Codec,
        payloadType: Int,
        ssrc: UInt32 = .random(in: 1...UInt32.max), description: PipelineDescription,
        telephoneEvent: TelephoneEvent? = nil, recorder: Recorder? = nil, pipeline: Element, webrtcSink: Pad,
        mode: SendMode = .closed, numbersPackets: Bool = false,
        keyFrameIntervalMs: Int = TransportTuning().keyFrameIntervalMs,
        formerSimulcast: Simulcast? = nil, probe: String? = nil,
        onUnprocessed: @escaping @Sendable (MediaError) -> Void = { _ in },
        onUnshared: @escaping @Sendable (MediaError) -> Void = { _ in },
        onFailure: @escaping @Sendable (MediaError) -> Void,
        onChange: @escaping @Sendable (CaptureChange) -> Void = { _ in },
        onAdaptation: @escaping @Sendable (VideoAdaptation) -> Void = { _ in }
    ) throws(MediaError) {
        let changes = CaptureChanges(onChange)
        self.id = id
        queue = DispatchQueue(label: "send.\(id)", qos: .userInitiated)
        self.codec = codec
        state = Mutex(State(mode: mode))
        self.webrtcSink = webrtcSink
        let branch = try SendBranch(
            codec.kind, description, payloadType: payloadType, ssrc: ssrc, numbersPackets: numbersPackets)
        (proxy, bin) = (branch.proxy, branch.bin)
        self.payloadType = payloadType
        self.numbersPackets = numbersPackets
        self.ssrc = ssrc
        encoderName = description.name
        pipeline.add(proxy)
        pipeline.add(bin)
        // Several encoders at one fixed rate could not share any.
        let canScale = codec.kind == .video && EncoderControl.hasRate(description)
        let scales = canScale ? SimulcastRates.scales(configuration.simulcastScales) : []
        simulcast =
            scales.isEmpty
            ? nil
            : try Simulcast(
                scales: scales, after: formerSimulcast, around: branch, to: webrtcSink, description, codec: codec,
                payloadType: payloadType, bitrateKbit: configuration.bitrateKbit, numbersPackets: numbersPackets,
                keyFrameIntervalMs: keyFrameIntervalMs, on: queue, in: pipeline)
        encoder = try EncoderControl(
            of: bin, description, codec: codec, bitrateKbit: configuration.bitrateKbit, opus: opus,
            portion: simulcast?.portion ?? 1)
        // All versions pass it.
        let encoderSink = try simulcast?.tee.pad("sink") ?? branch.encoderSink
        recording = try recorder?.tap(id, codec, at: branch.payloader.pad("sink"))
        let pacer = codec.kind == .video ? Pacer() : nil
        // In front of the gate and the blanking: what they judge later was not there when waiting packets were discarded.
        pacer?.count(encoderSink)
        // In front of the gate, whose latest frame may have been sent by another encoder.
        let sendsLevel = codec.kind == .audio && configuration.sendsLevel
        let canShare =
            configuration.sharesEncoder && simulcast == nil && (codec.kind == .video || codec == .opus && !sendsLevel)
        let handover = canShare ? EncoderHandover(codec.kind, input: encoderSink) : nil
        let counts = FlowCounts()
        let gate = Gate(at: encoderSink) { counts.begin(at: $0) }
        self.gate = gate
        self.counts = counts
        feed = CaptureFeed(
            of: configuration.source, to: proxy, onDetached: { gate.forget() }, onFailure: onFailure,
            onChange: { changes.note($0, of: $1) })
        let own = try OwnEncoder(codec.kind, branch.encoder, behind: proxy, feed: feed, queue: queue)
        self.own = own
        sharing =
            if let handover {
                try EncoderSharing(
                    handover, in: bin, description, own: own, keyFrameIntervalMs: keyFrameIntervalMs, queue: queue,
                    onChange: { changes.note($0, of: $1) }, onFailure: onUnshared)
            } else { nil }
        // Behind the gate, since a buffer that the gate keeps passes here only when the gate opens.
        if codec.kind == .video { encoderSink.keepTimeRising() }
        // Behind the gate, which keeps the latest frame as it was captured.
        blanking = Blanking(at: encoderSink, kind: codec.kind)
        // Behind the blanking: nobody learns the level of what is muted.
        if sendsLevel { encoderSink.noteAudioLevel() }
        if codec.kind == .audio {
            processor = try AudioProcessor(
                configuration.processing, from: proxy.pad("src"), to: bin.pad("sink"), probe: probe, pipeline: pipeline,
                onFailure: onUnprocessed)
        } else {
            processor = nil
        }
        video =
            if let pacer {
                try VideoRate(
                    of: branch, encoder, simulcast: simulcast, pacer: pacer, own: own, sharing: sharing, gate: gate,
                    counts: counts,
                    preference: configuration.degradationPreference,
                    keyFrameInterval: .milliseconds(keyFrameIntervalMs), on: queue, in: pipeline)
            } else { nil }
        if let telephoneEvent {
            dtmf = try DtmfSender(
                telephoneEvent, clockRate: codec.clockRate, ssrc: ssrc, from: bin.pad("src"), to: webrtcSink,
                pipeline: pipeline)
        } else {
            dtmf = nil
            if simulcast == nil { try bin.pad("src").link(to: webrtcSink) }
        }
        try simulcast?.syncStateWithParent()
        try bin.syncStateWithParent()
        try video?.syncStateWithParent()
        try proxy.syncStateWithParent()
        sharing?.onChance { [weak self] in self?.reconsiderSharing() }
        video?.onChange { [weak self] adaptation in
            if let adaptation { onAdaptation(adaptation) }
            self?.reconsiderSharing()
        }
    }

    /// Whether the element of this path is part of the track.
    func contains(_ path: String) -> Bool {
        proxy.contains(path) || bin.contains(path) || processor?.contains(path) == true
            || video?.contains(path) == true || simulcast?.contains(path) == true || dtmf?.contains(path) == true
    }

    /// The transceiver that webrtcbin made when the pad was requested; requesting the transceiver first would make two.
    var transceiver: AnyGObject? { webrtcSink.object("transceiver") }

    /// The mode that was requested last.
    var mode: SendMode { state.withLock { $0.mode } }

    /// Whether it has something to send, be it black.
    var isSending: Bool { source != nil && state.withLock { $0.opens } }

    /// The source of the sent media; nil when there is none.
    var source: CaptureSource? { feed.source }

    /// Starts to feed the encoder, unless the mode is ``SendMode/off``; nothing is sent before ``peerVerified()``.
    ///
    /// - Throws: ``MediaError`` when the capture cannot be opened.
    nonisolated(nonsending) func start() async throws(MediaError) {
        own.want(mode != .off)
        try await feed.start()
    }

    /// All streams of media that it sends.
    var ssrcs: [UInt32] { [ssrc] + encodings.map(\.sources.ssrc) }

    /// Announces the streams to the RTP session, before their first packets.
    func announce(to session: Element) throws(MediaError) {
        for ssrc in ssrcs { try RtcpTableRace.announce(codec, payloadType: payloadType, ssrc: ssrc, to: session) }
    }

    /// Sends a key frame of each version soon, with those that the peer asks for.
    func requestKeyFrame() { video?.requestKeyFrame() }

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
        sharing?.allow(mode == .live)
        // Also with the gate closed, so that captured media can never pass.
        blanking.set(mode != .live)
        for encoding in encodings { encoding.set(mode) }
        if mode != .live { video?.discard() }
        // When it is turned off, no frame is kept: it would be sent first when it is turned on again.
        if !opens { gate.close(keepingLatest: mode != .off) }
        own.want(mode != .off)
        if opens { open() }
        reconsiderSharing()
    }

    /// Sends the media of another capture from now on, in the same mode.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened; the present one then continues.
    nonisolated(nonsending) func change(to source: CaptureSource) async throws(MediaError) {
        state.withLock { $0.sourceChanges += 1 }
        await sharing?.returnToOwn()
        defer {
            state.withLock { $0.sourceChanges -= 1 }
            reconsiderSharing()
        }
        try await feed.change(to: source)
        forceOwnKeyFrame()
    }

    /// Sends a key frame next.
    func forceKeyFrame() { if sharing?.requestKeyFrame(forPeer: false) != true { forceOwnKeyFrame() } }

    private func forceOwnKeyFrame() {
        own.forceKeyFrame()
        for encoding in encodings { encoding.forceKeyFrame() }
    }

    private var encodings: [SimulcastEncoding] { simulcast?.encodings ?? [] }

    /// How much video the path takes; nil for audio, and for video whose rate cannot be changed.
    var rate: VideoRate? { encoder.followsRate ? video : nil }

    /// Changes the rate that is requested.
    func set(bitrateKbit: Int) throws(MediaError) {
        try encoder.set(bitrateKbit: bitrateKbit)
        for encoding in encodings { try encoding.set(bitrateKbit: bitrateKbit) }
        reconsiderSharing()
    }

    /// Keeps the rate of audio in Opus within what the path leaves to it; nil: it has what is requested.
    func limit(toKbit kbit: Int?) {
        guard codec == .opus else { return }
        // The encoder may be busy.
        queue.async { [weak self] in
            guard let self else { return }
            // A property that the encoder has at all has been set before.
            try? encoder.limit(toKbit: kbit)
            reconsiderSharing()
        }
    }

    /// Changes the parameters of Opus that are requested.
    func set(_ opus: OpusParameters) throws(MediaError) {
        try encoder.set(opus)
        reconsiderSharing()
    }

    /// The peer has lost this share of the packets lately, 0 to 1.
    func note(loss: Double) {
        guard codec == .opus else { return }
        // The encoder may be busy.
        queue.async { [weak self] in
            // A property that the encoder has at all has been set before.
            if let self, (try? encoder.note(loss: loss, at: .now)) == true { reconsiderSharing() }
        }
    }

    /// Applies what the peer's description says about the sent format.
    func agree(with section: MediaSection) throws(MediaError) {
        try encoder.agree(with: section, payloadType: payloadType)
        for encoding in encodings { try encoding.agree(with: section, payloadType: payloadType) }
        reconsiderSharing()
    }

    /// How many frames or audio buffers were sent.
    var framesSent: Int { gate.passed + (sharing?.passed ?? 0) }

    /// Numbers packets from now on if the track was made to do so: the caps of `webrtcSink` have the extension now.
    func beginNumbering() throws(MediaError) {
        guard numbersPackets else { return }
        rate?.awaitPath()
        try bin.child("payloader")?.pad("src").markReconfigure()
        for encoding in encodings { try encoding.beginNumbering() }
    }

    /// Packets hold the level of the audio from now on, in the header extension with this id.
    func sendLevel(_ id: Int) throws(MediaError) {
        try bin.child("payloader")?.writeAudioLevel(id: id)
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
            forceOwnKeyFrame()
            gate.open { state.withLock { $0.opens } }
            reconsiderSharing()
        }
    }

    /// Shares an encoder if nothing sets this track apart, and has its own one otherwise.
    private func reconsiderSharing() {
        guard let sharing else { return }
        queue.async { [weak self] in if let self { sharing.use(sharingTarget) } }
    }

    private var sharingTarget: EncoderSharing.Target? {
        guard state.withLock({ $0.isVerified && $0.mode == .live && $0.sourceChanges == 0 }), gate.isOpen,
            let source = feed.source,
            rate?.isFull != false, processing == .off
        else { return nil }
        return EncoderSharing.Target(
            source: source, format: SharedEncoder.Format(description: encoderName, values: encoder.values))
    }

    /// Starts or stops to record the sent media.
    func setRecording(_ isOpen: Bool) { if isOpen { recording?.open() } else { recording?.close() } }

    /// Reports the size of the encoded frames whenever it changes; on the streaming thread.
    func onFrameSize(_ handler: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
        let last = Mutex<[Int]>([])
        let note = { @Sendable (width: Int, height: Int) in
            let isNews = last.withLock { last in
                defer { last = [width, height] }
                return last != [width, height]
            }
            if isNews { handler(width, height) }
        }
        own.sink.onFrameSize(note)
        sharing?.onFrameSize(note)
    }

    /// Stops sending and releases the capture permanently.
    func end() async {
        set(.off)
        await sharing?.returnToOwn()
        await feed.end()
    }

    /// Removes the track from `pipeline` before anything was sent, so that another one can replace it at ``webrtcSink``.
    nonisolated(nonsending) func remove(from pipeline: Element) async {
        await end()
        webrtcSink.unlinkFromPeer()
        dtmf?.remove()
        processor?.remove()
        video?.remove(from: pipeline)
        simulcast?.remove(from: pipeline)
        for element in [proxy, bin] { pipeline.remove(element) }
    }

    var statistics: PeerStatistics.Sent {
        let caps = (sharing?.caps ?? own.sink.caps)?.fields
        let (limitation, slowness) = (encoder.limitation, video?.slowness)
        return PeerStatistics.Sent(
            codec: codec, width: caps?["width"]?.intValue, height: caps?["height"]?.intValue, frames: framesSent,
            toneHz: feed.source?.toneHz,
            framesDropped: id.kind == .video ? counts.dropped + (sharing?.dropped ?? 0) : nil,
            targetBitrate: encoder.targetBitrate, isLimitedByBandwidth: limitation.isNow,
            limitedByBandwidthSeconds: limitation.seconds,
            isLimitedByCPU: slowness?.isNow == true && sharing?.isShared != true,
            limitedByCPUSeconds: slowness?.seconds ?? 0,
            sharesEncoder: sharing?.isShared ?? false, encodings: encodings.map(\.statistics),
            seconds: counts.seconds)
    }
}
