internal import Dispatch
internal import Synchronization

/// The smaller versions of a video that are sent beside it, for a server that chooses one for each receiver (simulcast, RFC 7656 section 3.6).
///
/// The frames of all versions pass one gate and one blanking, in front of a `tee`; one m-line carries their packets:
///
///     tee ─────── encoder of the track ──────── rtpfunnel ─ webrtcbin
///      └ queue ─ videoscale ─ encoder ──────────┘
///
/// The versions are told apart by their SSRCs (`a=ssrc-group:SIM`), not by the ids of RFC 8853: the `rtprtxsend` of GStreamer 1.22 would send
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
    /// `sources` are those that a description has named already; nil: new ones.
    init(
        scales: [Int], _ sources: [SimulcastEncoding.Sources]?, around branch: SendBranch, to webrtcSink: Pad,
        _ description: PipelineDescription, codec: Codec, payloadType: Int, bitrateKbit: Int, numbersPackets: Bool,
        keyFrameIntervalMs: Int, on tasks: DispatchQueue, in pipeline: Element
    ) throws(MediaError) {
        let rates = SimulcastRates(scales: scales)
        portion = rates.portions[0]
        tee = try Element("tee")
        funnel = try Element("rtpfunnel")
        for element in [tee, funnel] { pipeline.add(element) }
        // webrtcbin knows the caps of one stream, and the funnel gives none.
        try funnel.pad("src").sendCapsOfPeer()
        try funnel.pad("src").link(to: webrtcSink)
        try tee.link(to: branch.bin)
        try branch.bin.link(to: funnel)
        var encodings: [SimulcastEncoding] = []
        for (index, scale) in scales.enumerated() {
            let encoding = try SimulcastEncoding(
                scaledDownBy: scale, weight: rates.weights[index + 1], portion: rates.portions[index + 1],
                sources?[index] ?? SimulcastEncoding.Sources(), behind: tee, description, codec: codec,
                payloadType: payloadType, bitrateKbit: bitrateKbit, numbersPackets: numbersPackets,
                keyFrameIntervalMs: keyFrameIntervalMs, on: tasks, in: pipeline)
            try encoding.bin.link(to: funnel)
            encodings.append(encoding)
        }
        self.encodings = encodings
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
        retransmissions.withLock { $0 = Dictionary(uniqueKeysWithValues: [(ssrc, retransmission)] + others) }
    }

    /// Lets the `rtprtxsend` of `peer` send packets of all versions again on the streams that the description names.
    func assignStreams(in peer: PeerPipeline) throws(MediaError) {
        let streams = retransmissions.withLock { $0 }
        guard !streams.isEmpty, let sender = peer.retransmissionSender else { return }
        let map = "application/x-rtp-ssrc-map" + streams.map { ",\($0)=(uint)\($1)" }.sorted().joined()
        let waiting = Mutex(Set(streams.keys))
        // webrtcbin sets the map again for each stream of the peer, with the largest version only. The element reads it at the first packet of a stream.
        // The pad owns the handler, which must not own its pipeline.
        try sender.pad("sink").probe { [weak peer] packet in
            let ssrc = packet.withHead { RetransmittedPackets.RtpHead($0)?.ssrc }
            if let ssrc, waiting.withLock({ $0.remove(ssrc) }) != nil {
                try? peer?.retransmissionSender?.set("ssrc-map", map)
            }
            return .pass
        }
    }

    /// Takes the peer's requests for key frames of these streams, which reach `session`, and answers each with one of every version.
    ///
    /// A server asks for all of them at once, and `rtpsession` passes only one request of a peer in a round trip, whichever stream it is for.
    /// `requestLargest` makes one of the largest version.
    func follow(
        _ ssrcs: [UInt32], in session: Element, requestLargest: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        // The pad owns the handler, and its pipeline the encodings' elements.
        try session.pad("send_rtp_sink").interceptKeyFrameRequests(of: Set(ssrcs)) { [weak self] in
            requestLargest()
            for encoding in self?.encodings ?? [] { encoding.requestKeyFrame() }
        }
    }
}

/// How the versions of a simulcast share a rate.
struct SimulcastRates: Sendable {
    /// Each version's rate beside that of the largest one, which comes first.
    let weights: [Double]
    /// Each version's part of the rate of all, 0 to 1.
    let portions: [Double]

    /// A quarter of the pixels needs more than a quarter of the bits, since smaller pictures have finer detail.
    init(scales: [Int]) {
        let weights = [1] + scales.map { 1 / (Double($0) * Double($0).squareRoot()) }
        self.weights = weights
        portions = weights.map { $0 / weights.reduce(0, +) }
    }
}
