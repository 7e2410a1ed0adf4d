/// Looks whether the path takes more than is sent: for a moment more is sent, and the reports tell how fast it arrived.
///
/// Video that is limited never shows that the path takes twice as much. Growing by a tenth a second would need seven seconds to find that out, so
/// libwebrtc probes, too. A probe repeats packets that the peer has. A pure value; times are those of sent packets, in s.
struct BandwidthProbe: Sendable {
    /// The rate of a probe, as a multiple of the estimate.
    private static let factor = 2.0
    /// Fewer packets, and less time in s, say nothing.
    private static let least = (packets: 5, seconds: 0.02)
    /// About the size of a packet, in bytes.
    private static let packetBytes = 1_200
    private static let mostPackets = 40
    /// At a higher rate, in bit/s, that many packets are too short a train.
    private static let highestRate = 50_000_000.0
    /// A train that left more slowly than this share of its rate says nothing.
    private static let slowest = 0.8
    /// A train that arrived so many times as fast as it left came through a buffer, and says nothing.
    private static let fastest = 2.0
    /// A path that takes less than this share of what was sent is full, and this share of that is used.
    private static let full = (below: 0.9, used: 0.95)
    /// The time between two probes, in s: after one that found more, after one that did not, and after several of those.
    private static let pauses = (found: 0.5, first: 4.0, longest: 5.0)
    /// When less is sent within this time after a probe, in s, that was wrong.
    private static let trial = 2.0

    /// A probe that is sent.
    struct Train: Sendable, Equatable {
        /// In bit/s.
        let rate: Double
        let packets: Int

        /// The size of its packets with which it takes the least time that says something, in bytes.
        var packetBytes: Int { Int(rate * least.seconds / 8) / packets }
    }

    /// What a probe showed of the path.
    struct Finding: Sendable {
        /// What the path takes, in bit/s and at most the rate of the probe.
        let rate: Double
        /// Whether the path takes no more than that.
        let isFull: Bool
    }

    /// What became of a probe that should be sent.
    enum Departure: Sendable {
        /// Its first packet leaves, and its last one has left, at these times.
        case begun(at: Double)
        case ended(at: Double)
        /// There is nothing to send.
        case impossible
    }

    private enum Progress {
        case idle
        case chosen(Train)
        /// Since when it leaves, until when it left, and what is known about it so far, unless a packet got lost.
        case underway(Train, begin: Double, end: Double?, [PacketReport]?)
    }
    private var progress = Progress.idle
    private var pause = 0.0
    private var last: Double?
    private var lastFound: Double?

    /// A probe that should be sent now; nil while one is sent, and for a while after it.
    ///
    /// `bitrate` is the estimate in bit/s. ``note(_:)`` has to follow.
    mutating func begin(at now: Double, bitrate: Double) -> Train? {
        guard case .idle = progress, now - (last ?? -.infinity) >= pause else { return nil }
        let rate = bitrate * Self.factor
        guard rate <= Self.highestRate else { return nil }
        let packets = Int(rate * Self.least.seconds / 8) / Self.packetBytes + 1
        let train = Train(rate: rate, packets: min(max(packets, Self.least.packets), Self.mostPackets))
        (last, progress) = (now, .chosen(train))
        return train
    }

    /// Notes what becomes of a probe.
    mutating func note(_ departure: Departure) {
        switch (departure, progress) {
        case (.begun(let begin), .chosen(let train)): progress = .underway(train, begin: begin, end: nil, [])
        case (.ended(let end), .underway(let train, let begin, nil, let reports)):
            progress = .underway(train, begin: begin, end: end, reports)
        case (.impossible, .chosen): finish(isMore: false)
        default: break
        }
    }

    /// Notes that less is sent now, in vain if a probe has just found more.
    mutating func noteDecrease(at now: Double) {
        if let lastFound, now - lastFound < Self.trial { pause = Self.pauses.longest }
    }

    /// Whether a packet left with the probe, which fills a queue for a moment: it says nothing else about the path.
    func contains(_ report: PacketReport) -> Bool {
        guard case .underway(_, let begin, let end, _) = progress else { return false }
        return report.sent >= begin && report.sent <= end ?? .infinity
    }

    /// Notes a report, in the order in which packets were sent.
    /// - Returns: What the path takes, once that is known and more than `bitrate`.
    mutating func note(_ report: PacketReport, bitrate: Double) -> Finding? {
        guard case .underway(let train, let begin, let end, let reports) = progress, report.sent >= begin else {
            return nil
        }
        guard !contains(report) else {
            let isLost = report.received == nil
            progress = .underway(train, begin: begin, end: end, isLost ? nil : reports.map { $0 + [report] })
            return nil
        }
        let finding = reports.flatMap { Self.finding($0, train) }.flatMap { $0.rate > bitrate * 1.1 ? $0 : nil }
        finish(isMore: finding != nil)
        if finding != nil { lastFound = report.sent }
        return finding
    }

    private mutating func finish(isMore: Bool) {
        progress = .idle
        pause = isMore ? Self.pauses.found : pause < Self.pauses.first ? Self.pauses.first : Self.pauses.longest
    }

    /// What the path took of a train; nil when that says nothing.
    private static func finding(_ reports: [PacketReport], _ train: Train) -> Finding? {
        guard reports.count >= least.packets, let first = reports.first, let last = reports.last,
            let begin = first.received, let end = last.received, end > begin, last.sent > first.sent
        else { return nil }
        let bits = Double(reports.dropFirst().reduce(0) { $0 + $1.bytes }) * 8
        let (sent, arrived) = (bits / (last.sent - first.sent), bits / (end - begin))
        guard sent >= train.rate * slowest, arrived <= sent * fastest else { return nil }
        let isFull = arrived < sent * full.below
        return Finding(rate: min(isFull ? arrived * full.used : sent, train.rate), isFull: isFull)
    }
}
