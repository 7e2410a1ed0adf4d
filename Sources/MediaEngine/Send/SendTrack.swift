internal import Dispatch

/// What one call sends of one kind: raw frames from a capture, a gate, an encoder and a payloader.
final class SendTrack: Sendable {
    let kind: MediaKind
    let codec: Codec
    let source: CaptureSource
    private let bin: Element
    private let proxy: Element
    private let encoderSource: Pad
    private let encoderSink: Pad
    private let gate: Gate
    /// Keeps opening and closing in order.
    private let queue: DispatchQueue
    private let webrtcSink: Pad
    private let payloadType: Int
    private let ssrc: UInt32

    /// Builds the branch into `pipeline` and links it to a sink pad of `webrtc`.
    init(
        _ configuration: TrackConfiguration, codec: Codec, payloadType: Int, description: PipelineDescription,
        pipeline: Element, webrtc: Element
    ) throws(MediaError) {
        kind = codec.kind
        queue = DispatchQueue(label: "send.\(codec.kind.rawValue)", qos: .userInitiated)
        self.codec = codec
        source = configuration.source
        proxy = try Element("proxysrc")
        try Self.keepOnlyLatest(proxy, kind: codec.kind)
        self.payloadType = payloadType
        ssrc = UInt32.random(in: 1...UInt32.max)
        bin = try description.instantiate([
            "bitrate": String(configuration.bitrateKbit * 1_000), "bitrateKbit": String(configuration.bitrateKbit),
            "payload": String(payloadType), "ssrc": String(ssrc), "mtu": "1200",
        ])
        guard let encoder = bin.child("encoder") else { throw .noPad(element: description.name, pad: "encoder") }
        encoderSink = try encoder.pad("sink")
        encoderSource = try encoder.pad("src")
        gate = Gate(at: encoderSink) { _ in }
        pipeline.add(proxy)
        pipeline.add(bin)
        // A capture that ends would end all media of the call: webrtcbin's funnel forwards the first end it sees.
        try proxy.pad("src").holdEndOfStream()
        try proxy.link(to: bin)
        webrtcSink = try webrtc.requestPad("sink_%u")
        try bin.pad("src").link(to: webrtcSink)
    }

    /// What webrtcbin made for the track when its pad was requested; asking for it first would make two.
    var transceiver: AnyGObject? { webrtcSink.object("transceiver") }

    /// Begins to feed the encoder; nothing is sent before ``open()``.
    nonisolated(nonsending) func start() async throws(MediaError) -> CaptureBranch { try await source.attach(proxy) }

    /// Tells the RTP session what will come, before anything does.
    func announce(to session: Element) throws(MediaError) {
        try RtcpTableRace.announce(codec, payloadType: payloadType, ssrc: ssrc, to: session)
    }

    /// Sends from now on, the latest picture first and as a key frame.
    ///
    /// Done on a queue of its own: webrtcbin holds up whoever sends before its m-line is negotiated, for ever if it never is.
    func open() {
        queue.async { [kind, encoderSource, gate] in
            if kind == .video { encoderSource.forceKeyFrame() }
            gate.open()
        }
    }

    /// Sends nothing from now on.
    func close() { queue.async { [gate] in gate.close() } }

    var statistics: PeerStatistics.Sent {
        let caps = encoderSink.caps?.fields
        return PeerStatistics.Sent(
            codec: codec, width: caps?["width"]?.intValue, height: caps?["height"]?.intValue, frames: gate.passed,
            toneHz: source.toneHz)
    }

    /// The proxy's own queue throws the oldest frames away, so that a slow encoder never holds up the capture that others share.
    private static func keepOnlyLatest(_ proxy: Element, kind: MediaKind) throws(MediaError) {
        guard let queue = proxy.child(madeBy: "queue") else { return }
        try queue.set("leaky", "downstream")
        try queue.set("max-size-buffers", kind == .video ? "2" : "20")
        try queue.set("max-size-bytes", "0")
        try queue.set("max-size-time", "0")
    }
}
