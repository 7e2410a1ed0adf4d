internal import Dispatch
internal import Synchronization

/// The smaller versions of a video that are sent beside it, for a server that chooses one for each receiver (simulcast, RFC 7656 section 3.6).
///
/// The frames of all versions pass one gate and one blanking, in front of a `tee`; one m-line carries their packets:
///
///     tee ─────── encoder of the track ──────── rtpfunnel ─ webrtcbin
///      └ queue ─ videoscale ─ encoder ──────────┘
///
/// SSRCs identify the versions (`a=ssrc-group:SIM`), not the ids of RFC 8853: the `rtprtxsend` of GStreamer 1.22 would send
/// repeated packets with the id of the original ones.
final class Simulcast: Sendable {
    /// Where raw frames enter.
    let tee: Element
    /// The smaller versions, largest first.
    let encodings: [SimulcastEncoding]
    /// What the largest version gets of the rate of all.
    let portion: Double
    private let funnel: Element
    /// The streams of what is sent again, by those of the media; empty: nothing is.
    private let retransmissions = Mutex<[UInt32: UInt32]>([:])

    /// Adds the elements to `pipeline`, around the encoder of `branch`, and links them to `webrtcSink`.
    ///
    /// `former` is that of the track that this one replaces: the description names its streams.
    init(
        scales: [Int], after former: Simulcast?, around branch: SendBranch, to webrtcSink: Pad,
        _ description: PipelineDescription, codec: Codec, payloadType: Int, bitrateKbit: Int, numbersPackets: Bool,
        keyFrameIntervalMs: Int, on tasks: DispatchQueue, in pipeline: Element
    ) throws(MediaError) {
        if let former { retransmissions.withLock { $0 = former.retransmissions.withLock { $0 } } }
        let rates = SimulcastRates(scales: scales)
        portion = rates.portions[0]
        tee = try Element("tee")
        funnel = try Element("rtpfunnel")
        for element in [tee, funnel] { pipeline.add(element) }
        // webrtcbin knows the caps of one stream, and the funnel gives none.
        try funnel.pad("src").sendCapsOfPeer()
        try funnel.pad("src").link(to: webrtcSink)
        var encodings: [SimulcastEncoding] = []
        for (index, scale) in scales.enumerated() {
            let encoding = try SimulcastEncoding(
                scaledDownBy: scale, weight: rates.weights[index + 1], portion: rates.portions[index + 1],
                former?.encodings[index].sources ?? SimulcastEncoding.Sources(), behind: tee, description, codec: codec,
                payloadType: payloadType, bitrateKbit: bitrateKbit, numbersPackets: numbersPackets,
                keyFrameIntervalMs: keyFrameIntervalMs, on: tasks, in: pipeline)
            encodings.append(encoding)
        }
        self.encodings = encodings
        // Last, since the tee passes a frame on in this order, and the packets of the largest version may have to wait.
        try tee.link(to: branch.bin)
        for bin in [branch.bin] + encodings.map(\.bin) {
            let pad = try funnel.requestPad("sink_%u")
            // The funnel would hide from payloaders which header extensions were agreed on.
            pad.answerCaps(of: webrtcSink, without: "ssrc")
            try bin.pad("src").link(to: pad)
        }
    }

    func syncStateWithParent() throws(MediaError) {
        for element in [funnel] + encodings.map(\.bin) { try element.syncStateWithParent() }
        for encoding in encodings { try encoding.syncStateWithParent() }
        try tee.syncStateWithParent()
    }

    func remove(from pipeline: Element) {
        for encoding in encodings { encoding.remove(from: pipeline) }
        for element in [tee, funnel] { pipeline.remove(element) }
    }

    func contains(_ path: String) -> Bool {
        tee.contains(path) || funnel.contains(path) || encodings.contains { $0.contains(path) }
    }

    /// Notes the stream of what is sent again of the largest version, whose own stream is `ssrc`; nil: nothing is sent again.
    func repair(_ ssrc: UInt32, by retransmission: UInt32?) {
        guard let retransmission else { return }
        let others = encodings.map { ($0.sources.ssrc, $0.sources.retransmission) }
        retransmissions.withLock { $0 = Dictionary([(ssrc, retransmission)] + others) { first, _ in first } }
    }

    /// Lets the `rtprtxsend` of `peer` send packets of all versions again on the streams that the description names.
    func assignStreams(in peer: PeerPipeline) throws(MediaError) {
        let streams = retransmissions.withLock { $0 }
        guard !streams.isEmpty, let payloadType = peer.retransmitted.payloadType else { return }
        try RetransmissionStreams(streams, payloadType: payloadType).assign(in: peer)
    }
}

/// How the versions of a simulcast share a rate.
struct SimulcastRates: Sendable {
    /// Each version's rate beside that of the largest one, which comes first.
    let weights: [Double]
    /// Each version's part of the rate of all, 0 to 1.
    let portions: [Double]

    /// The scales that are used of those that were configured: the useful ones, smallest first, and not too many.
    static func scales(_ configured: [Int]) -> [Int] {
        Array(Set(configured).filter { (2...8).contains($0) }.sorted().prefix(3))
    }

    /// A quarter of the pixels needs more than a quarter of the bits, since smaller frames have finer detail.
    init(scales: [Int]) {
        let weights = [1] + scales.map { 1 / (Double($0) * Double($0).squareRoot()) }
        self.weights = weights
        portions = weights.map { $0 / weights.reduce(0, +) }
    }
}
