internal import Synchronization

/// What one call receives of one kind: depayloader, decoder, meter, gate and sink.
///
/// It is built before the first packet comes, so that no decoder has to be made while a key frame waits.
final class ReceiveTrack: Sendable {
    let kind: MediaKind
    let codec: Codec
    private let knownSsrc = Mutex<UInt32?>(nil)
    private let input: Pad
    /// Where what the depayloader gives comes by.
    private let encoded: Pad
    private let decoder: Element
    private let elements: [Element]
    /// Where the decoder's output leaves it.
    let decoded: Pad
    private let meter: DecodedMeter
    private let gate: Gate
    private let recording: RecordingTap?
    let sink: SinkPipeline?
    private let arrivals = Mutex<[ContinuousClock.Instant]>([])

    init(
        codec: Codec, decoder: PipelineDescription, values: [String: String] = [:], discard: PipelineDescription,
        outlet: Outlet, sink: SinkPipeline?,
        recorder: Recorder?, pipeline: Element,
        report: @escaping @Sendable (PeerConnectionEvent) -> Void
    ) throws(MediaError) {
        kind = codec.kind
        self.codec = codec
        // What fails behind it fails alone: the packets of everything else come from the same source.
        let shield = try Element("errorignore")
        try shield.set("convert-to", "ok")
        let decoderBin = try decoder.instantiate(values)
        let sinkBin = try discard.instantiate()
        elements = [sinkBin, decoderBin, shield]
        for element in elements { pipeline.add(element) }
        try shield.link(to: decoderBin)
        try decoderBin.link(to: sinkBin)
        guard let decoderElement = decoderBin.child("decoder"), let sinkElement = sinkBin.child("sink") else {
            throw .noPad(element: decoder.name, pad: "decoder")
        }
        input = try shield.pad("sink")
        self.decoder = decoderElement
        decoded = try decoderElement.pad("src")
        let kind = kind
        meter = DecodedMeter(kind: kind)
        let shown = try sinkElement.pad("sink")
        gate = Gate(at: shown) { report(PeerConnectionEvent(.firstShown(kind), at: $0)) }
        // Behind the gate: what it holds back nobody sees.
        outlet.watch(shown)
        self.sink = sink
        guard let branch = decoderBin.child("encoded") else { throw .noPad(element: decoder.name, pad: "encoded") }
        encoded = try branch.pad("sink")
        recording = recorder?.tap(codec, at: encoded)
        meter.watch(decoded) { report(PeerConnectionEvent(.firstFrame(kind))) }
        input.probeHead { [weak self] _ in self?.noteArrival() == true ? .pass : .passAndRemove }
        for element in elements { try element.syncStateWithParent() }
    }

    /// Takes nothing more once the pictures are larger than ``PictureLimit`` has it, and tells it as a failure of the decoder.
    func limitPictures(_ report: @escaping @Sendable (BusMessage) -> Void) {
        let path = decoder.path
        let limit = PictureLimit { width, height in
            let text = "pictures of \(width)x\(height) are too large; at most \(PictureLimit.maximumPixels) pixels"
            report(.error(element: path, message: text, debug: "", fault: .unusable))
        }
        for pad in [encoded, decoded] { limit.watch(pad) }
    }

    /// Links the pad on which webrtcbin delivers this kind.
    ///
    /// Called in its `pad-added`, before the first packet is pushed.
    ///
    /// A peer whose stream begins anew with another SSRC has another pad, which takes the place of the first.
    func connect(_ source: Pad) throws(MediaError) {
        try input.relink(to: source)
        let ssrc = source.caps?.fields?["ssrc"]?.intValue.flatMap { UInt32(exactly: $0) }
        knownSsrc.withLock { $0 = ssrc ?? $0 }
    }

    /// The SSRC of the stream that arrives; nil before there is one.
    var ssrc: UInt32? { knownSsrc.withLock { $0 } }

    /// Whether the element of this path is part of the track.
    func contains(_ path: String) -> Bool { elements.contains { $0.contains(path) } }

    /// Shows and records what arrives from now on, the latest picture first, or no more.
    ///
    /// - Returns: How many pictures or buffers had been shown before.
    func setOpen(_ isOpen: Bool) -> Int {
        guard isOpen else {
            gate.close()
            recording?.close()
            return gate.passed
        }
        if let sink { Task { await sink.open() } }
        let isReopening = !gate.isOpen && gate.passed > 0
        let passed = gate.open()
        recording?.open()
        // What was held back may be old, and the pictures after it need a whole one only if some were lost: that is not known here.
        if isReopening, kind == .video { requestKeyFrame() }
        return passed
    }

    /// Shows and plays nothing any more.
    func end() async { await sink?.close() }

    /// Measures this of what is decoded, and nothing else.
    func measure(_ measurements: Set<MediaMeasurement>) { meter.measure(measurements) }

    /// Whether anything was decoded yet.
    var hasDecoded: Bool { meter.hasDecoded }

    func requestKeyFrame() { input.requestKeyFrame() }

    var statistics: PeerStatistics.Received {
        var received = PeerStatistics.Received(codec: codec)
        meter.report(into: &received)
        let caps = decoded.caps?.fields
        received.width = caps?["width"]?.intValue
        received.height = caps?["height"]?.intValue
        received.shown = gate.passed
        received.arrivals = arrivals.withLock { $0 }
        return received
    }

    /// Whether further ones are to be noted, too.
    private func noteArrival() -> Bool {
        arrivals.withLock { arrivals in
            arrivals.append(.now)
            return arrivals.count < PeerStatistics.Received.maximumArrivals
        }
    }
}
