/// How often a peer lets itself be heard, and from when on its silence means something.
///
/// Our own ends send RTCP at least every second. Others may keep to RFC 3550, whose reports are 5 s apart, give or take a half:
/// from one that sends no media nothing else comes.
struct PeerRhythm: Sendable, Equatable {
    /// What a packet is, by its first two bytes (RFC 5761 section 4, RFC 7983 section 7).
    enum Packet: Sendable, Equatable {
        case media
        /// What is sent regularly: a sender's or receiver's report. Feedback comes when there is something to say.
        case report
        case other

        init(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count >= 2, (128...191).contains(bytes[0]) else {
                self = .other
                return
            }
            switch bytes[1] {
            case 200, 201: self = .report
            case 192...223: self = .other
            default: self = .media
            }
        }
    }

    /// When the last packet arrived; nil while none has.
    private(set) var last: ContinuousClock.Instant?
    private var lastMedia: ContinuousClock.Instant?
    private var lastReport: ContinuousClock.Instant?
    /// The longest of the latest times between two reports.
    private var reportGaps: [Duration] = []

    /// How long a peer that has not sent three reports yet may take for one: 1.5 times 5 s.
    static let unknownInterval = Duration.milliseconds(7_500)
    /// The most that is waited for one that sends reports ever more seldom.
    static let longestLimit = Duration.seconds(20)
    private static let keptGaps = 8

    mutating func note(_ packet: Packet, at instant: ContinuousClock.Instant) {
        switch packet {
        case .media: lastMedia = instant
        case .report:
            if let lastReport { reportGaps = (reportGaps + [instant - lastReport]).suffix(Self.keptGaps) }
            lastReport = instant
        case .other: break
        }
        last = instant
    }

    /// How much silence after the last packet counts as an interruption: `limit` from a peer that was sending media, and three times the
    /// longest time between its latest reports, if that is more, from one that sends those alone.
    ///
    /// RFC 3550 lets each of those times vary between a half and one and a half, so the next may be three times the last.
    func patience(_ limit: Duration) -> Duration {
        guard let last else { return limit }
        if let lastMedia, last - lastMedia < limit { return limit }
        guard reportGaps.count > 1, let gap = reportGaps.max() else { return max(limit, Self.unknownInterval) }
        return max(limit, min(gap * 3, Self.longestLimit))
    }

    /// The moment after which the peer is silent for longer than it should be; nil while nothing came.
    func endOfPatience(_ limit: Duration) -> ContinuousClock.Instant? { last.map { $0 + patience(limit) } }
}
