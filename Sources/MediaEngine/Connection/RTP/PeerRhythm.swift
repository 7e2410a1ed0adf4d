/// Tracks how often a peer sends packets, and decides when its silence counts as an interruption.
///
/// This engine sends RTCP at least every second. Other peers may follow RFC 3550, whose reports are 5 s apart, plus or minus half: a
/// peer that sends no media sends nothing else.
struct PeerRhythm: Sendable, Equatable {
    /// The type of a packet, by its first two bytes (RFC 5761 section 4, RFC 7983 section 7).
    enum Packet: Sendable, Equatable {
        case media
        /// A sender or receiver report, which is sent regularly; feedback is sent only when needed.
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

    /// When the last packet arrived; nil before the first.
    private(set) var last: ClockReading?
    private var lastMedia: ClockReading?
    private var lastReport: ClockReading?
    /// The latest intervals between two reports.
    private var reportGaps: [Duration] = []
    private var mediaGaps = MediaGaps()

    /// The longest report interval of a peer that has not sent three reports yet: 1.5 times 5 s.
    static let unknownInterval = Duration.milliseconds(7_500)
    /// The maximum patience with a peer whose reports become ever rarer.
    static let longestLimit = Duration.seconds(20)
    private static let keptGaps = 8
    /// Reports within this time of another one count as one.
    private static let reportBurst = Duration.milliseconds(50)
    /// So many of the longest gaps between two packets are more than chance.
    private static let usualGaps = 4
    static let shortestPathPatience = Duration.milliseconds(300)

    mutating func note(_ packet: Packet, at instant: ClockReading) {
        switch packet {
        case .media:
            if let lastMedia { mediaGaps.note(instant - lastMedia, at: instant) }
            lastMedia = instant
        case .report:
            // Those about several streams may come together.
            if let lastReport, instant - lastReport < Self.reportBurst { break }
            if let lastReport { reportGaps = (reportGaps + [instant - lastReport]).suffix(Self.keptGaps) }
            lastReport = instant
        case .other: break
        }
        last = instant
    }

    /// How much silence after the last packet counts as an interruption.
    ///
    /// It is `limit` for a peer that was sending media. For a peer that sends only reports, it is three times the longest interval between
    /// its latest reports, if that is more. RFC 3550 varies each interval by a factor of 0.5 to 1.5, so the next may be three times the last.
    func patience(_ limit: Duration) -> Duration {
        last == nil || hadMedia(limit) ? limit : reportPatience(limit)
    }

    /// Whether media was among the last that arrived.
    private func hadMedia(_ limit: Duration) -> Bool {
        guard let last, let lastMedia else { return false }
        return last - lastMedia < limit
    }

    /// The same for a peer that sends only reports.
    private func reportPatience(_ limit: Duration) -> Duration {
        guard reportGaps.count > 1, let gap = reportGaps.max() else { return max(limit, Self.unknownInterval) }
        return max(limit, min(gap * 3, Self.longestLimit))
    }

    /// How much silence after the last packet says that another path should be looked for.
    ///
    /// Media that has been regular is missed much earlier than `limit`: what was as irregular lately is no sign of a broken path.
    func pathPatience(_ limit: Duration) -> Duration {
        guard hadMedia(limit), let longest = mediaGaps.longest else { return patience(limit) }
        return min(limit, max(longest * Self.usualGaps, Self.shortestPathPatience))
    }

    /// Whether only the media is overdue, and not the reports of a peer that has stopped its media.
    func missesMedia(_ limit: Duration, at now: ClockReading) -> Bool {
        guard let last, hadMedia(limit) else { return false }
        return now - last < reportPatience(limit)
    }

    /// The moment after which silence counts as an interruption; nil before the first packet.
    func endOfPatience(_ limit: Duration) -> ClockReading? { last.map { $0 + patience(limit) } }
}

/// The longest time between two packets of media, of the last quarter of a minute or two.
private struct MediaGaps: Sendable, Equatable {
    private static let period = Duration.seconds(15)
    /// Before so much media nothing is known.
    private static let shortest = Duration.seconds(2)
    /// Video and audio do not begin at once.
    private static let beginning = Duration.seconds(1)

    private var first: ClockReading?
    private var begin: ClockReading?
    private var present = Duration.zero
    private var former: Duration?

    mutating func note(_ gap: Duration, at instant: ClockReading) {
        let first = first ?? instant
        self.first = first
        guard instant - first >= Self.beginning else { return }
        let begin = begin ?? instant
        self.begin = begin
        present = max(present, gap)
        guard instant - begin >= (former == nil ? Self.shortest - Self.beginning : Self.period) else { return }
        (self.begin, former, present) = (instant, present, .zero)
    }

    /// Nil while it is not known.
    var longest: Duration? { former.map { max($0, present) } }
}
