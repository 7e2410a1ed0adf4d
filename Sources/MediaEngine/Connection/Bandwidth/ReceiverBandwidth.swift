/// How much the peer may send: packets that arrive in, a rate out.
///
/// For a peer that takes an estimate (``ReceiverEstimate``) and no reports on its packets. The rules are those of a sender
/// (``BandwidthEstimator``), which gets the same times from the peer's reports. A pure value; times are in s.
struct ReceiverBandwidth: Sendable {
    /// A packet of the peer's video.
    struct Packet: Sendable {
        var ssrc: UInt32
        var number: UInt16
        /// See ``AbsoluteSendTime``.
        var sendTime: UInt32
        /// Its size on the network.
        var bytes: Int

        /// The headers of IPv4 and UDP, and the tag of SRTP.
        private static let overhead = 20 + 8 + 10
    }

    /// What the peer may send at first while nothing speaks against it, in bit/s.
    private static let start = 1_000_000.0
    /// A sender gets reports as often.
    private static let interval = 0.05
    /// For so long more than the estimate has to arrive, in s, with at most this share lost.
    private static let proof = 1.0
    private static let harmlessLoss = 0.03
    /// More numbers that are missing in a row are a new beginning.
    private static let longestGap: Int16 = 200
    /// What a peer may make this end note between two conclusions.
    private static let mostReports = 2_000
    /// Of more streams those are forgotten that were silent longest; a connection has one, and perhaps one with repeated packets.
    private static let streams = 8

    /// What the peer may send, in bit/s with all headers; nil before that is known.
    private(set) var bitrate: Double?
    /// The streams that it is about, by SSRC.
    var sources: [UInt32] { latest.keys.sorted() }

    private var estimator: BandwidthEstimator
    private let most: Double
    /// What the peer may want to send, in bit/s.
    private var enough: Double
    private var clock = AbsoluteSendTime.Clock()
    /// The latest number of each stream, and when it arrived.
    private var latest: [UInt32: (number: UInt16, at: Double)] = [:]
    private var reports: [PacketReport] = []
    /// The places in `reports` of packets that have not arrived.
    private var missing: [Identity: Int] = [:]
    private var count: UInt16 = 0
    private var noted: Double?
    /// Since when more arrives than the estimate without harm.
    private var excess: Double?

    private struct Identity: Hashable {
        let ssrc: UInt32
        let number: UInt16
    }

    /// - Parameter most: the highest rate that this end takes, in bit/s.
    init(most: Double) {
        self.most = most
        enough = min(Self.start, most)
        estimator = BandwidthEstimator(start: enough)
    }

    /// Notes a packet that arrived at `now`.
    mutating func note(_ packet: Packet, at now: Double) {
        let sent = clock.seconds(packet.sendTime, at: now)
        if let place = missing.removeValue(forKey: Identity(ssrc: packet.ssrc, number: packet.number)) {
            // Another packet has overtaken it.
            (reports[place].sent, reports[place].received) = (min(sent, reports[place].sent), now)
        } else {
            for number in gap(before: packet, at: now) {
                missing[Identity(ssrc: packet.ssrc, number: number)] = reports.count
                add(sent: sent, received: nil, packet.bytes)
            }
            add(sent: sent, received: now, packet.bytes)
        }
        noted = noted ?? now
        if let noted, now - noted >= Self.interval { conclude(at: now) }
    }

    /// Measures again on another path.
    mutating func changePath() { estimator.changePath() }

    private mutating func add(sent: Double, received: Double?, _ bytes: Int) {
        reports.append(PacketReport(number: count, sent: sent, received: received, bytes: bytes))
        count &+= 1
    }

    private mutating func conclude(at now: Double) {
        noted = now
        // A sender knows what it wants to send. A receiver has seen the most so far: soon it may be twice that.
        enough = max(enough, min((estimator.received ?? 0) * 2, most))
        estimator.note(reports, enough: enough)
        reports.removeAll(keepingCapacity: true)
        missing.removeAll(keepingCapacity: true)
        guard let received = estimator.received else { return }
        correct(by: received, at: now)
        bitrate = estimator.target
    }

    /// A peer may have a lowest rate, and send more than the estimate: when that does no harm, the path takes it.
    private mutating func correct(by received: Double, at now: Double) {
        let isHarmless = !estimator.isCongested && estimator.loss < Self.harmlessLoss
        guard isHarmless, received > estimator.bitrate else {
            excess = nil
            return
        }
        excess = excess ?? now
        guard let since = excess, now - since >= Self.proof else { return }
        estimator.prove(received)
    }

    /// The numbers of its stream that are missing before this packet; a repeated one has an earlier number.
    private mutating func gap(before packet: Packet, at now: Double) -> [UInt16] {
        guard let former = latest[packet.ssrc]?.number else {
            if latest.count == Self.streams, let oldest = latest.min(by: { $0.value.at < $1.value.at }) {
                latest[oldest.key] = nil
            }
            latest[packet.ssrc] = (packet.number, now)
            return []
        }
        let step = Int16(bitPattern: packet.number &- former)
        guard step > 0 || step < -Self.longestGap else { return [] }
        latest[packet.ssrc] = (packet.number, now)
        guard step > 1, step <= Self.longestGap, reports.count < Self.mostReports else { return [] }
        return (1..<UInt16(step)).map { former &+ $0 }
    }
}

extension ReceiverBandwidth.Packet {
    /// A packet of RTP with so many bytes.
    init(_ head: RtpHead, sendTime: UInt32, bytes: Int) {
        self.init(ssrc: head.ssrc, number: head.number, sendTime: sendTime, bytes: bytes + Self.overhead)
    }
}
