internal import Synchronization

/// The receiving half of one track: depayloader, decoder, meter, gate and sink.
///
/// It is built before the first packet arrives, so that a key frame never waits for a decoder.
final class ReceiveTrack: Sendable {
    let id: TrackID
    let codec: Codec
    private let knownSsrc = Mutex<UInt32?>(nil)
    private let input: ReplaceableInput
    /// The sink pad of the decoder.
    private let encoded: Pad
    private let decoder: Element
    /// Nil for other codecs than Opus, and if copies are not used.
    let copies: OpusCopies?
    private let elements: [Element]
    /// The source pad of the decoder.
    let decoded: Pad
    private let meter: DecodedMeter
    private let gate: Gate
    private let recording: RecordingTap?
    private let outputs: MediaOutputs
    /// Its input of the outlet.
    private let inputNumber: Int
    /// Holds nil without a limit that the peer could keep to.
    // The optional is inside the mutex: debug builds of Swift 6.3 take the nil of a `Mutex<…>?` for a value.
    private let rate: Mutex<ReceivedRateMeter?>
    private let arrivals = Mutex<[ContinuousClock.Instant]>([])
    private struct Frames {
        var schedule: DecodingSchedule
        /// Whole frames that arrived, those of them that need no other, and those that were not to be decoded.
        var received = 0
        var keyFrames = 0
        var skipped = 0
    }
    /// Of video only.
    private let frames: Mutex<Frames>

    init(
        _ id: TrackID, codec: Codec, decoder: PipelineDescription, values: [String: String] = [:],
        usesCopies: Bool = false, discard: PipelineDescription,
        outputs: MediaOutputs, recorder: Recorder? = nil, decoding: DecodingPolicy = .all, maxReceiveKbit: Int? = nil,
        pipeline: Element,
        report: @escaping @Sendable (PeerConnectionEvent) -> Void
    ) throws(MediaError) {
        self.id = id
        self.codec = codec
        let limit = codec.fixedBitrate == nil ? maxReceiveKbit : nil
        rate = Mutex(limit.map { ReceivedRateMeter(maximumKbit: $0) })
        frames = Mutex(Frames(schedule: DecodingSchedule(decoding)))
        let decoderBin = try decoder.instantiate(values)
        let sinkBin = try discard.instantiate()
        elements = [sinkBin, decoderBin]
        for element in elements { pipeline.add(element) }
        try decoderBin.link(to: sinkBin)
        guard let decoderElement = decoderBin.child("decoder"), let sinkElement = sinkBin.child("sink") else {
            throw .noPad(element: decoder.name, pad: "decoder")
        }
        input = ReplaceableInput(try decoderBin.pad("sink"))
        self.decoder = decoderElement
        copies = usesCopies ? try OpusCopies(of: decoderElement) : nil
        decoded = try decoderElement.pad("src")
        let announcement = outputs.announcement(codec.kind)
        meter = DecodedMeter(kind: codec.kind, playout: outputs.playout, announcement: announcement)
        let shown = try sinkElement.pad("sink")
        gate = Gate(at: shown) { report(PeerConnectionEvent(.firstShown(id), at: $0)) }
        // Behind the gate, so that the outlet gets nothing that the gate holds back.
        let outlet = outputs.outlet(id)
        inputNumber = outlet.watch(shown)
        self.outputs = outputs
        encoded = try decoderElement.pad("sink")
        recording = recorder?.tap(id, codec, at: encoded)
        meter.watch(decoded) { report(PeerConnectionEvent(.firstFrame(id))) }
        input.pad.probe { [weak self] _ in self?.noteArrival() == true ? .pass : .passAndRemove }
        if let announcement {
            input.pad.probe { _ in
                announcement.notePacket()
                return .pass
            }
        }
        if limit != nil {
            input.pad.probe { [weak self] packet in
                self?.rate.withLock { $0?.add(max(0, packet.byteCount - PadProbeInfo.headLength), at: .now) }
                return .pass
            }
        }
        if codec.kind == .video {
            encoded.probe { [weak self] frame in
                self?.decodes(frame.reference, isWatched: outlet.hasConsumers) == false ? .drop : .pass
            }
        }
        for element in elements { try element.syncStateWithParent() }
    }

    /// Stops receiving once the frames are larger than ``FrameSizeLimit`` allows, and reports that as a failure of the decoder.
    func limitFrameSize(_ report: @escaping @Sendable (BusMessage) -> Void) {
        let path = decoder.path
        let limit = FrameSizeLimit { width, height in
            let text = "frames of \(width)x\(height) are too large; at most \(FrameSizeLimit.maximumPixels) pixels"
            report(.error(element: path, message: text, debug: "", fault: .unusable))
        }
        for pad in [encoded, decoded] { limit.watch(pad) }
    }

    /// Links the pad on which webrtcbin delivers the stream of this track.
    ///
    /// Called in its `pad-added`, before the first packet is pushed.
    ///
    /// If the peer restarts its stream with another SSRC, there is another pad, which replaces the first.
    func connect(_ source: Pad) throws(MediaError) {
        try input.link(source)
        let ssrc = source.caps?.fields?["ssrc"]?.intValue.flatMap { UInt32(exactly: $0) }
        knownSsrc.withLock { $0 = ssrc ?? $0 }
    }

    /// The SSRC of the stream that arrives; nil before there is one.
    var ssrc: UInt32? { knownSsrc.withLock { $0 } }

    /// Whether the element of this path is part of the track.
    func contains(_ path: String) -> Bool { elements.contains { $0.contains(path) } }

    /// Starts or stops to show and record received media; the latest frame is shown first.
    ///
    /// - Returns: How many frames or buffers had been shown before.
    func setOpen(_ isOpen: Bool) -> Int {
        guard isOpen else {
            meter.setShown(false)
            gate.close()
            outputs.outlet(id).release(inputNumber)
            recording?.close()
            return gate.passed
        }
        // Frames that were under way when the gate closed were decoded behind it.
        meter.setShown(true)
        outputs.outlet(id).select(inputNumber)
        outputs.openSink(id)
        let isReopening = !gate.isOpen && gate.passed > 0
        let passed = gate.open()
        recording?.open()
        // The frame that was held back may be old. Later frames need a key frame only if some were lost, which is not known here.
        if isReopening, codec.kind == .video { requestKeyFrame() }
        return passed
    }

    /// Selects what is measured of the decoded media.
    func measure(_ measurements: Set<MediaMeasurement>) { meter.measure(measurements) }

    /// Whether anything was decoded yet.
    var hasDecoded: Bool { meter.hasDecoded }

    func requestKeyFrame() { input.pad.requestKeyFrame() }

    var statistics: PeerStatistics.Received {
        var received = PeerStatistics.Received(codec: codec)
        meter.report(into: &received)
        let caps = decoded.caps?.fields
        received.width = caps?["width"]?.intValue
        received.height = caps?["height"]?.intValue
        received.shown = gate.passed
        received.arrivals = arrivals.withLock { $0 }
        if let first = received.arrivals.first { received.seconds = (ContinuousClock.now - first) / .seconds(1) }
        // Other decoders conceal nothing.
        received.concealedSamples = decoder.get("stats")?.fields?["plc-num-samples"]?.intValue
            .map { max(0, $0 - (copies?.recoveredSamples ?? 0)) }
        received.aboveMaxRateMs = rate.withLock { $0?.aboveMs } ?? 0
        if codec.kind == .video {
            let frames = frames.withLock { $0 }
            received.framesReceived = frames.received
            received.keyFramesReceived = frames.keyFrames
            received.framesDropped = max(0, frames.received - frames.skipped - 1 - received.decoded)
        }
        return received
    }

    /// Counts a whole frame; returns whether to decode it.
    private func decodes(_ frame: BufferRef, isWatched: Bool) -> Bool {
        let hasDecoded = meter.hasDecoded
        let verdict = frames.withLock { frames in
            frames.received += 1
            if !frame.isDelta { frames.keyFrames += 1 }
            let verdict = frames.schedule.judge(
                isKeyFrame: !frame.isDelta, hasDecoded: hasDecoded, isWatched: isWatched, at: Double(Pipeline.now) / 1e9
            )
            if verdict == .skip || verdict == .skipAndRequest { frames.skipped += 1 }
            return verdict
        }
        switch verdict {
        case .decode: return true
        case .decodeAgain:
            meter.interruptDecoding()
            return true
        case .skip, .skipAndRequest:
            // Who looks sees that the video stands still.
            if !isWatched { meter.noteSkipped(presentedAt: encoded.runningTime(of: frame)) }
            if verdict == .skipAndRequest { encoded.requestKeyFrame() }
            return false
        }
    }

    /// Notes a packet; returns whether to note further ones.
    private func noteArrival() -> Bool {
        arrivals.withLock { arrivals in
            arrivals.append(.now)
            return arrivals.count < PeerStatistics.Received.maximumArrivals
        }
    }
}
