/// Looks whether the path takes more than is sent: for a moment more is sent, and the reports tell how fast it arrived.
///
/// Video that is limited never shows that the path takes twice as much. Growing by a tenth a second would need seven seconds to find that out, so
/// libwebrtc probes, too. What is sent are packets again that the peer has already. A pure value.
struct BandwidthProbe: Sendable {
    /// The rate of a probe, as a multiple of the estimate.
    private static let factor = 2.0
    /// Fewer packets, and less time in s, say nothing.
    private static let least = (packets: 5, seconds: 0.02)
    /// About the size of a packet, in bytes.
    private static let packetBytes = 1_200
    private static let mostPackets = 40
    /// Jitter may bring packets together: a train that took less time to send, in s, says nothing.
    private static let shortestTrain = 0.005
    /// A path that takes less than this share of what was sent is full, and this share of that is used.
    private static let full = (below: 0.9, used: 0.95)
    /// After this time, in s, no report on the probe follows.
    private static let patience = 1.0
    /// The time between two probes, in s: after one that found more, and the most after those that did not.
    private static let pauses = (shortest: 0.5, first: 2.0, longest: 5.0)

    /// A probe that is sent.
    struct Train: Sendable, Equatable {
        /// In bit/s.
        let rate: Double
        let packets: Int
    }

    private var underway: Train?
    /// Whether a probe may be on the path, which fills its queue for a moment.
    var isUnderway: Bool { underway != nil }
    private var pause = Self.pauses.first
    private var last: Double?
    private var reports: [PacketReport] = []

    /// A probe that should be sent now, unless one was lately; `bitrate` is the estimate, in bit/s, and `now` the time of a sent packet.
    mutating func begin(at now: Double, bitrate: Double) -> Train? {
        if let last, now - last < pause { return nil }
        let rate = bitrate * Self.factor
        let bytes = rate * Self.least.seconds / 8
        let packets = min(max(Int(bytes) / Self.packetBytes + 1, Self.least.packets), Self.mostPackets)
        last = now
        underway = Train(rate: rate, packets: packets)
        reports = []
        return underway
    }

    /// Notes a report, in the order in which packets were sent.
    /// - Returns: What the path takes, in bit/s, at most the rate of the probe, when that is known now.
    mutating func note(_ report: PacketReport) -> Double? {
        guard let train = underway else { return nil }
        if let last, report.sent - last > Self.patience { noteNothing() }
        guard report.received != nil else {
            reports = []
            return nil
        }
        reports = reports.suffix(train.packets - 1) + [report]
        guard reports.count == train.packets, let first = reports.first, let begin = first.received,
            let end = report.received
        else { return nil }
        let bits = Double(reports.dropFirst().reduce(0) { $0 + $1.bytes }) * 8
        let seconds = report.sent - first.sent
        guard seconds >= Self.shortestTrain, bits / seconds >= train.rate * 0.8 else { return nil }
        let sent = bits / seconds
        let arrived = end > begin ? bits / (end - begin) : sent
        let isFull = arrived < sent * Self.full.below
        (underway, reports) = (nil, [])
        return min(isFull ? arrived * Self.full.used : sent, train.rate)
    }

    /// Notes whether the last probe found that the path takes more.
    mutating func note(isMore: Bool) {
        guard isMore else { return noteNothing() }
        pause = Self.pauses.shortest
    }

    private mutating func noteNothing() {
        (underway, reports) = (nil, [])
        pause = min(max(pause, Self.pauses.first) * 2, Self.pauses.longest)
    }
}
