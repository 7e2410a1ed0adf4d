/// Whether another flow keeps the queue of the path full, as TCP does, and what may be sent beside it.
///
/// Such a flow takes all that others leave it, so sending less does not make the queue shorter, and who gives way to a queue starves. Beside it the rate
/// follows rules like its own: it grows by packets for each round trip, and falls when packets get lost. A pure value.
struct CompetingFlow: Sendable {
    /// What is known of the path now: rates in bit/s, times in s.
    struct Path: Sendable {
        let sent: Double
        let received: Double
        /// What it takes of all who share it; nil: not known.
        let whole: Double?
        /// How long packets wait.
        let queue: Double
        /// How far a single packet is late.
        let jitter: Double
        let hasLost: Bool
        /// Whether less is sent than may be.
        let isApplicationLimited: Bool
    }

    /// A queue of more s is looked at, until it is shorter.
    private static let queue = (begins: 0.05, ends: 0.025)
    /// Only who had so much of what the path takes of all competes.
    ///
    /// Many calls that share a path fill its queue, too, while more of them begin. If those before them kept their share, nobody would empty it.
    private static let part = 0.3
    /// What arrives from a path that has just got narrow is known after so many s.
    private static let settling = 0.6
    /// Another flow fills it if at most this share is sent of what arrived from this queue before, and about as much arrives.
    ///
    /// A queue of this end alone would get shorter then, and the path would still take what it took.
    private static let others = (share: 0.7, arrives: 0.9...1.1)
    /// It gets longer meanwhile, for so many s, and by so many s, or so many times the jitter.
    private static let evidence = (seconds: 0.3, growth: 0.03, jitters: 4.0)
    /// How fast it is forgotten what the path took, and how long a rate beside such a flow is remembered, in s.
    private static let memory = (path: 30.0, share: 10.0)
    /// What a loss leaves of the rate.
    ///
    /// TCP gives up more, but frames come in bursts, which find a full queue more often than its packets.
    private static let decrease = 0.85
    /// How much more is underway after a round trip, in bits: three packets; and at most how much the rate grows, as a share of it each second.
    ///
    /// On a narrow path three packets would be more than a loss takes.
    private static let increase = (bits: 28_800.0, share: 0.6)
    /// What a round trip is assumed to take without a queue, and at most, in s: behind a long queue the rate would hardly change.
    private static let roundTrip = (empty: 0.1, longest: 0.45)
    /// Much less arrives than is sent for so many s: the path has got narrow.
    private static let narrow = (share: 0.6, seconds: 1.0)
    /// After so many s the rate gives way to the queue again: it may be the last such flow itself.
    private static let longest = 30.0

    /// A queue that stays.
    private struct Standing {
        let begin: Double
        /// What arrived from it at most, in bit/s.
        var arrived = 0.0
        /// Its shortest wait while little is sent, and for how long that has been so, in s.
        var shortest = Double.infinity
        var seconds = 0.0
    }
    private var standing: Standing?
    private var trend = QueueTrend()
    /// What the path took at most, in bit/s.
    private var most = 0.0
    private var since: Double?
    private var lastLoss = -Double.infinity
    /// For how long much less has arrived than is sent, in s.
    private var narrowSeconds = 0.0
    /// The latest rate beside such a flow, in bit/s, and when that was; the next one begins with it.
    private var latest: (rate: Double, at: Double)?

    /// Whether there is such a flow.
    var isPresent: Bool { since != nil }

    /// What may be sent beside such a flow instead of `bitrate`, in bit/s, `passed` s after the last call; nil: there is none.
    mutating func share(of path: Path, bitrate: Double, after passed: Double, at now: Double) -> Double? {
        most = max(path.received, most * (1 - passed / Self.memory.path))
        trend.note(path.queue)
        narrowSeconds = path.received < path.sent * Self.narrow.share ? narrowSeconds + passed : 0
        let isOver = since.map { now - $0 > Self.longest || narrowSeconds > Self.narrow.seconds } ?? false
        if path.queue < Self.queue.ends || isOver {
            (since, standing) = (nil, nil)
            return nil
        }
        let next: Double
        if isPresent {
            next = rate(after: bitrate, path, passed, at: now)
        } else {
            guard isFilledByOthers(path, bitrate, passed, at: now) else { return nil }
            since = now
            let former = latest.flatMap { now - $0.at < Self.memory.share ? $0.rate : nil }
            // The path may have got narrow before: it does not take more than arrived from this queue.
            next = max(bitrate, min(former ?? most / 2, standing?.arrived ?? 0))
        }
        latest = (next, now)
        return next
    }

    /// Notes that the path takes far less all of a sudden: its queue may be this end's own.
    mutating func noteFall() { standing = nil }

    /// Whether the queue gets longer although much less is sent than arrived from it before.
    private mutating func isFilledByOthers(_ path: Path, _ bitrate: Double, _ passed: Double, at now: Double) -> Bool {
        guard var standing else {
            if path.queue > Self.queue.begins { standing = Standing(begin: now) }
            return false
        }
        defer { self.standing = standing }
        guard now - standing.begin > Self.settling else { return false }
        standing.arrived = max(standing.arrived, path.received)
        guard let whole = path.whole, most > whole * Self.part,
            max(bitrate, path.sent) < standing.arrived * Self.others.share, !path.isApplicationLimited,
            Self.others.arrives ~= path.received / path.sent
        else {
            standing.seconds = 0
            return false
        }
        standing.shortest = min(standing.shortest, path.queue)
        standing.seconds += passed
        let growth = max(Self.evidence.growth, Self.evidence.jitters * path.jitter)
        return standing.seconds >= Self.evidence.seconds && path.queue > standing.shortest + growth
    }

    private mutating func rate(after bitrate: Double, _ path: Path, _ passed: Double, at now: Double) -> Double {
        let roundTrip = min(Self.roundTrip.empty + path.queue, Self.roundTrip.longest)
        // What is lost within a round trip is one loss.
        if path.hasLost, now - lastLoss > roundTrip {
            lastLoss = now
            return bitrate * Self.decrease
        }
        // If the others are calls like this one, or nobody, the queue empties, and that is seen.
        guard !trend.isFalling else { return bitrate }
        // Nobody knows whether the path takes much more than it takes now.
        let growth = min(Self.increase.bits / (roundTrip * roundTrip), Self.increase.share * bitrate)
        return min(bitrate + growth * passed, max(bitrate, path.received * 2))
    }
}

/// Whether a queue gets shorter.
private struct QueueTrend: Sendable {
    /// Smaller changes do not count, in s.
    private static let step = 0.015
    /// The longest wait since it got longer, or the shortest since it got shorter, in s.
    private var turn = 0.0
    private(set) var isFalling = false

    mutating func note(_ queue: Double) {
        turn = isFalling ? min(turn, queue) : max(turn, queue)
        if abs(queue - turn) > Self.step { (turn, isFalling) = (queue, !isFalling) }
    }
}
