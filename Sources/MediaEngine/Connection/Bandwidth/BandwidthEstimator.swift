/// How much may be sent to the peer: reports on packets in, a rate out (draft-ietf-rmcat-gcc-02, with libwebrtc's trendline).
///
/// It falls to what the path takes when a queue that is no longer short grows, or a long one stays. It grows while nothing speaks against it.
/// It starts with what this end wants to send rather than with a guess: on most networks nothing needs to be reduced. A pure value.
struct BandwidthEstimator: Sendable {
    /// No estimate is outside, in bit/s: below it not even audio works.
    static let range = 30_000.0...100_000_000.0
    /// Of what arrived while a queue grew, so that the queue empties.
    private static let decrease = 0.85
    /// What is sent at least while a queue empties, as a share of what the path takes.
    private static let drain = 0.2
    /// The least that a measurement may leave, as a share of the present rate, except that of a queue that rises steeply; and the least of any while
    /// an application sends less than it may, which says little about the path.
    private static let least = (usual: 0.5, idle: 0.7)
    /// Of the average of such measurements; a single one is no better.
    private static let trust = 0.7
    /// A queue that waits longer, in s, is emptied even if it does not grow.
    private static let longestQueue = 0.1
    /// A queue that grows counts only if packets wait longer, in s.
    ///
    /// On a path that is nearly full, larger frames wait for each other now and then.
    private static let shortestQueue = 0.025
    /// A queue that waits longer, in s, and still rises steeply, tells what the path takes, however little an application sends.
    private static let certainQueue = 0.2
    /// After so many reductions without effect a long delay is the path's own.
    private static let attempts = 3
    /// After another path, reports on the former one follow for so many s.
    private static let pathChange = 0.5
    /// The sequence numbers of more s than this may begin again.
    private static let memory = 10.0
    /// Each change takes a while to show, in s.
    private static let pause = 0.2
    /// The first packets of a call come together, in s.
    private static let initialBurst = 0.5
    /// What arrives from a queue is what the path takes, which may have changed: only the last so many s count.
    private static let latest = 0.15
    /// A queue that was long in the last so many s is not short.
    private static let longMemory = 2.0
    /// So long after a probe raised the rate, in s, what arrives is no measure of the path: some of it was sent before, or while the encoder followed.
    private static let ramp = 1.0
    /// No probe follows a reduction for so many s: the queue has to be empty.
    private static let probePause = 2.0
    /// A full path is shared if it takes less than this part of its whole rate from this end.
    private static let wholePath = 0.9

    /// What the path takes, in bit/s, headers included.
    private(set) var bitrate: Double
    /// What should be sent now, in bit/s, headers included: less while a queue is long, so that it is empty in about a second.
    ///
    /// When the path takes far less all of a sudden, most of the queue is still unknown: packets that were sent before that was seen.
    var target: Double {
        if hasFallen { return bitrate * Self.drain }
        return queue > Self.longestQueue ? bitrate * max(1 - queue, Self.drain) : bitrate
    }
    /// What was sent in half a second, in bit/s; nil before that time has passed.
    var sent: Double? { departures.bitrate }
    /// What the peer got in the last half second, in bit/s; nil before that time has passed.
    var received: Double? { arrivals.bitrate }
    /// The share of packets that was lost last, 0 to 1.
    var loss: Double { losses.latest }
    /// Whether the rate gives way to a queue: it grows and is no longer short, or is long, or began to rise steeply.
    var isCongested: Bool { isOver || fall.hasRisen }
    /// Whether the packets of one frame have just shown that the path takes far less, and its queue has not emptied.
    var hasFallen: Bool { last.map(fall.isRecent(at:)) ?? false }
    /// How long a queue of a congested path takes to empty if nothing more is sent, in s, as far as is known.
    var backlog: Double { max(queue, delays.tail) }
    private var isOver: Bool { queue > (trend.usage == .over ? Self.shortestQueue : Self.longestQueue) }
    /// Whether a full path loses packets before they wait long.
    var hasShortQueue: Bool { capacity.hasShortQueue }
    /// Whether the latest packet waited long.
    var isDelayed: Bool { delays.latest > Self.longestQueue }
    /// How long packets wait on the path, in s; 0 while another flow makes them wait.
    var queue: Double { competitor.isPresent ? 0 : delays.seconds }

    private var trend = DelayTrend()
    private var delays = QueueDelay()
    private var losses = LossLimit()
    private var probe = BandwidthProbe()
    private var fall = SuddenFall()
    private var bursts = BurstRate()
    private var competitor = CompetingFlow()
    /// When a packet waited long last.
    private var lastDelay: Double?
    private var departures = ByteRate()
    private var arrivals = ByteRate()
    private var latest: UInt16?
    /// Whether a report got lost since the last packet that arrived, or a probe was sent.
    private var isGap = false
    private var isAfterProbe = false
    private var enough: Double
    private var ignoredUntil: Double?
    /// Reductions after which the queue was no shorter, and its length then, in s.
    private var fruitless = (count: 0, queue: 0.0)
    private var first: Double?
    private var last: Double?
    private var lastDecrease: Double?
    /// The rate to which a probe raised the estimate last, in bit/s, and when.
    private var raised: (rate: Double, at: Double)?
    private var capacity = PathCapacity()

    /// Starts with what should be sent, in bit/s.
    init(start: Double) {
        bitrate = min(max(start, Self.range.lowerBound), Self.range.upperBound)
        enough = start
    }

    /// Begins to measure again on another path, with the present rate.
    ///
    /// Reports on packets of the former path still follow for a round trip.
    mutating func changePath() {
        let (last, enough) = (last, enough)
        self = BandwidthEstimator(start: bitrate)
        self.enough = enough
        ignoredUntil = last.map { $0 + Self.pathChange }
    }

    /// Notes the reports on packets, in the order in which they were sent.
    ///
    /// The estimate does not grow beyond `enough`, in bit/s: an end that sends less than it may learns nothing about the path.
    mutating func note(_ reports: [PacketReport], enough: Double) {
        raise(to: enough)
        let isConclusive = !isOver && !isApplicationLimited && !competitor.isPresent
        var (factor, now): (Double?, Double?)
        var hasLost = false
        for report in reports {
            guard isNew(report) else { continue }
            let isNext = latest.map { report.number == $0 &+ 1 } ?? false
            latest = report.number
            now = report.sent
            // The packets behind a probe wait for it, so the trend says nothing here.
            if let finding = probe.note(report, bitrate: bitrate), !isCongested, !competitor.isPresent {
                let known = isShared ? capacity.rate : nil
                bitrate = max(bitrate, min(finding.rate, known ?? .infinity, enough, Self.range.upperBound))
                raised = (bitrate, report.sent)
                // Otherwise it grows fast, as on a path of which nothing is known.
                if finding.isFull, known == nil { capacity.noteProbe(finding.rate) }
            }
            let isMedia = !probe.contains(report)
            hasLost = hasLost || isMedia && report.received == nil
            let follows = isNext && !isAfterProbe
            isAfterProbe = !isMedia
            if isMedia, let next = losses.note(report, isNext: follows, isConclusive: isConclusive) { factor = next }
            departures.note(report.bytes, at: report.sent, isNext: isNext)
            isGap = isGap || !follows
            guard let received = report.received else { continue }
            if isMedia {
                trend.note(sent: report.sent, received: received)
                bursts.note(sent: report.sent, received: received, bytes: report.bytes, isNext: !isGap)
                delays.note(sent: report.sent, received: received, bytes: report.bytes, isNext: !isGap)
            }
            arrivals.note(report.bytes, at: received, isNext: !isGap)
            isGap = false
        }
        guard let now else { return }
        first = first ?? now
        if isDelayed { lastDelay = now }
        let passed = min(max(now - (last ?? now), 0), 0.5)
        last = now
        if compete(hasLost, after: passed, at: now) {
            // More loss than any path has by itself.
            if let factor { decrease(to: bitrate * min(factor, 1), at: now) }
            return
        }
        if let factor { follow(factor, at: now) }
        adapt(after: passed, at: now)
    }

    /// Notes that the path takes this rate at least, in bit/s.
    ///
    /// Beside a flow that fills the queue, what arrives proves nothing.
    mutating func prove(_ rate: Double) {
        if !competitor.isPresent { bitrate = max(bitrate, min(rate, enough, Self.range.upperBound)) }
    }

    /// What should be sent for a moment beside the media, to see whether the path takes more; nil: nothing.
    ///
    /// `most` is what the peer says that it takes, in bit/s. ``note(_:)`` has to follow.
    mutating func takeProbe(most: Double) -> BandwidthProbe.Train? {
        let wanted = min(enough, most, Self.range.upperBound)
        guard let last, bitrate < wanted * 0.95, !isApplicationLimited else { return nil }
        // Where the queue is short, it would cost packets of the media.
        guard !isCongested, trend.usage == .normal, !hasShortQueue else { return nil }
        // Of many who share a full path, each finds that twice as much arrives, although a part of all gets lost.
        guard !losses.isExcessive, !losses.isLossy, !competitor.isPresent else { return nil }
        // On a shared path each probe takes from all others for a moment, and finds more than this end may have.
        guard !isShared || !capacity.isReached(by: bitrate) else { return nil }
        guard last - (lastDecrease ?? -.infinity) >= Self.probePause else { return nil }
        return probe.begin(at: last, bitrate: bitrate)
    }

    /// Notes what becomes of a probe, by the clock of the reports, in s.
    mutating func note(_ departure: BandwidthProbe.Departure) { probe.note(departure) }

    /// When more is wanted than before, and nothing speaks against it, there is no reason to wait.
    private mutating func raise(to enough: Double) {
        if enough > self.enough, bitrate >= self.enough { bitrate = min(enough, Self.range.upperBound) }
        self.enough = enough
    }

    /// False for a packet that was reported before, and for one of a former path.
    private mutating func isNew(_ report: PacketReport) -> Bool {
        if let ignoredUntil, report.sent < ignoredUntil { return false }
        // The numbers have 16 bits: after a long pause they say nothing.
        if let latest, let last, report.sent - last < Self.memory, Int16(bitPattern: report.number &- latest) <= 0 {
            return false
        }
        return true
    }

    /// Shares the path with a flow that fills its queue; false: there is none.
    private mutating func compete(_ hasLost: Bool, after passed: Double, at now: Double) -> Bool {
        guard let sent, let received else { return false }
        let path = CompetingFlow.Path(
            sent: sent, received: received, whole: bursts.bitrate, queue: delays.seconds, jitter: delays.usualJump,
            hasLost: hasLost,
            isApplicationLimited: sent < target / 2)
        let wasPresent = competitor.isPresent
        let share = competitor.share(of: path, bitrate: bitrate, after: passed, at: now)
        guard let share else {
            // Without a queue the path takes more than it took beside the other flow.
            if wasPresent, path.queue < Self.shortestQueue { capacity.forget() }
            return false
        }
        if !wasPresent { fall = SuddenFall() }
        // They tell of the other flow.
        _ = delays.takeRises()
        if share < bitrate { lastDecrease = now }
        bitrate = min(max(share, Self.range.lowerBound), max(enough, bitrate), Self.range.upperBound)
        return true
    }

    private mutating func adapt(after passed: Double, at now: Double) {
        let rises = fall.takeRises(of: &delays, bitrate: bitrate, at: now)
        if !rises.isEmpty { competitor.noteFall() }
        for rise in rises { follow(rise, at: now) }
        guard rises.isEmpty, !isBeginning, let received else { return }
        if isOver {
            if !isEmptying { emptyQueue(received: received, at: now) }
        } else if trend.usage == .normal, !losses.isExcessive {
            grow(by: passed, received: received, at: now)
        }
    }

    /// Falls to what a queue shows that rises steeply.
    private mutating func follow(_ rise: QueueDelay.Rise, at now: Double) {
        let taken: Double
        switch rise {
        // The packets of one frame are newer than the trend, and tell of the path before anything else does.
        case .ofFrame(_, let rate):
            taken = rate
            bursts.restart(with: rate)
        case .ofBursts(let rate):
            guard !isEmptying, !isBeginning, let rate = rate ?? arrivals.bitrate(ofLast: Self.latest) ?? received
            else { return }
            taken = rate
            if hasFallen {
                prove(taken * Self.decrease)
                fall.correct(to: taken)
            }
        }
        capacity.noteLongQueue(taken)
        // Nothing limits the first packets of a call yet, although little is sent.
        let isCertain = isBeginning || queue > Self.certainQueue
        let least = isApplicationLimited && !isCertain ? bitrate * Self.least.idle : 0
        decrease(to: max(taken * Self.decrease, least), at: now)
    }

    /// Falls below what a queue lets through that grows, or stays long.
    private mutating func emptyQueue(received: Double, at now: Double) {
        guard now - (lastDecrease ?? first ?? now) >= Self.pause + queue, isQueue() else { return }
        let least = bitrate * (isApplicationLimited ? Self.least.idle : Self.least.usual)
        var taken = max(received, justFound(at: now) ?? 0)
        if queue > Self.longestQueue {
            taken = arrivals.bitrate(ofLast: Self.latest) ?? received
            capacity.noteLongQueue(taken)
        } else {
            taken = max(taken, capacity.noteQueue(taken) * Self.trust)
        }
        decrease(to: max(taken * Self.decrease, least), at: now)
    }

    /// A queue that shrinks needs no less.
    private var isEmptying: Bool { trend.usage == .under || fall.isEmptying }

    /// Whether others send on the path, too.
    private var isShared: Bool {
        guard let whole = bursts.bitrate, let rate = capacity.rate else { return false }
        return rate < whole * Self.wholePath
    }

    /// Whether the first packets are on their way: they come together, so they fill a queue anyway.
    private var isBeginning: Bool {
        guard let first, let last else { return true }
        return last - first <= Self.initialBurst
    }

    /// The rate to which a probe has just raised the estimate; nil: none has.
    private func justFound(at now: Double) -> Double? {
        raised.flatMap { now - $0.at < Self.ramp ? $0.rate : nil }
    }

    /// Whether what looks like a queue is one: a longer path has a longer delay, too, but sending less does not change that.
    private mutating func isQueue() -> Bool {
        guard trend.usage == .normal else {
            fruitless = (0, 0)
            return true
        }
        let count = queue > 0.8 * fruitless.queue ? fruitless.count + 1 : 1
        fruitless = (count, queue)
        guard count > Self.attempts else { return true }
        fruitless = (0, 0)
        delays = QueueDelay()
        return false
    }

    /// Whether less is sent than may be, because the video needs no more.
    private var isApplicationLimited: Bool {
        // Before there is an average, the latest packets tell: the rate at the beginning may be far too high.
        (departures.bitrate ?? departures.bitrate(ofLast: Self.latest)).map { $0 < bitrate / 2 } ?? true
    }

    /// Follows the verdict on lost packets.
    private mutating func follow(_ factor: Double, at now: Double) {
        if factor > 1 {
            capacity.forget()
            bitrate = max(bitrate, min(bitrate * factor, enough, Self.range.upperBound))
        } else {
            // What a long queue lost is reported while it empties.
            let isShort = !isOver && now - (lastDelay ?? -.infinity) > Self.longMemory
            capacity.noteLoss(isApplicationLimited ? nil : received, hasShortQueue: isShort)
            decrease(to: bitrate * factor, at: now)
        }
    }

    private mutating func decrease(to lower: Double, at now: Double) {
        lastDecrease = now
        probe.noteDecrease(at: now)
        guard lower < bitrate else { return }
        bitrate = max(lower, Self.range.lowerBound)
    }

    private mutating func grow(by seconds: Double, received: Double, at now: Double) {
        // Nobody knows whether the path takes much more than it takes now, or took when its queue was full.
        let known = max(received * 2 + 20_000, (capacity.rate ?? 0) * Self.decrease)
        let limit = min(known, enough, Self.range.upperBound)
        guard bitrate < limit else { return }
        capacity.noteGrowth(to: bitrate)
        let quiet = now - (lastDecrease ?? -.infinity)
        bitrate = min(bitrate + capacity.growth(of: bitrate, quiet: quiet) * seconds, limit)
    }
}
