/// How much less should be sent because packets get lost.
///
/// A short queue that overflows shows in no delay. But radio loses packets at any rate, and sending less does not help then. So a loss that a lower rate
/// does not cure is taken as the path's own, as in libwebrtc's newer loss-based estimator. A pure value.
struct LossLimit: Sendable {
    /// Up to this share, above the path's own, loss is no sign of congestion; few packets may lose more by chance.
    private static let tolerance = 0.02
    private static let deviations = 2.0
    /// More than this is too much at any rate, also while a lower one would say nothing.
    ///
    /// Each of many senders on a full path sees that a lower rate of its own cures nothing. If each of them took the loss for the path's own, the queue
    /// would stay full.
    private static let excess = 0.3
    /// A path is lossy if it loses more than this share by itself, or lost more than that last.
    private static let lossy = (itself: 0.05, latest: 0.1)
    /// The smallest reduction whose effect can be seen.
    private static let smallest = 0.1
    /// So many packets and s make one measurement.
    private static let packets = 20
    private static let window = 0.5
    /// A larger share than this, above the path's own and its chance, is clear after fewer s.
    private static let heavy = (share: 0.2, packets: 30, window: 0.15)
    /// A path that takes none of so many packets, for so many s, is interrupted.
    private static let outage = (packets: 10, seconds: 0.3)
    /// After so many reductions without effect the loss is the path's own.
    private static let attempts = 2
    /// The weight of a measurement in the path's own loss, when it is less and when it is more.
    private static let weights = (less: 0.2, more: 0.05)
    /// What arrives varies by so much.
    private static let variation = 0.05

    private struct Reduction {
        let factor: Double
        /// What arrived before it, in bytes a second, and the loss.
        let arrived: Double
        let loss: Double
        /// A reduction acts a round trip later.
        var isNew = true
    }

    /// What was sent in the time of one measurement.
    private struct Measurement {
        var packets = 0
        var lost = 0
        var arrivedBytes = 0
        /// Without pauses and lost reports.
        var seconds = 0.0
    }
    private var current = Measurement()
    /// What was lost since the latest packet that arrived, and when that was sent.
    private var gap: (packets: Int, first: Double, last: Double)?
    private var last: Double?
    private var reduction: Reduction?
    private var fruitless = 0
    /// The product of those reductions.
    private var lowered = 1.0
    /// The loss of the path at any rate.
    private var own = 0.0
    /// The share of the packets that was lost last, 0 to 1.
    private(set) var latest = 0.0
    /// Whether much gets lost, whatever the reason.
    var isLossy: Bool { own > Self.lossy.itself || latest > Self.lossy.latest }
    /// Whether a lower rate may cure the loss.
    private(set) var isExcessive = false

    /// Notes a packet by the time when it was sent, in s; `isNext` is false when the reports on those before it got lost.
    ///
    /// `isConclusive` is false while a lower rate would say nothing: a queue is full, or less is sent than may be.
    /// - Returns: The factor for the rate when less should be sent now; more than 1 when it was lowered in vain.
    mutating func note(_ report: PacketReport, isNext: Bool, isConclusive: Bool) -> Double? {
        let passed = max(report.sent - (last ?? report.sent), 0)
        last = report.sent
        if passed > Self.window {
            // What was sent before a pause says nothing about what is sent after it.
            (current, gap) = (Measurement(), nil)
            forget()
        } else if isNext {
            current.seconds += passed
        } else {
            gap = nil
        }
        guard report.received != nil else {
            gap = gap.map { ($0.packets + 1, $0.first, report.sent) } ?? (1, report.sent, report.sent)
            return nil
        }
        if let gap, gap.packets >= Self.outage.packets, gap.last - gap.first > Self.outage.seconds {
            // A full path still takes a packet now and then.
            current = Measurement()
        } else {
            current.packets += gap?.packets ?? 0
            current.lost += gap?.packets ?? 0
        }
        gap = nil
        current.packets += 1
        current.arrivedBytes += report.bytes
        guard isLongEnough || isConclusive && isHeavy else { return nil }
        defer { current = Measurement() }
        return judge(current, isConclusive: isConclusive)
    }

    private var isLongEnough: Bool { current.packets >= Self.packets && current.seconds >= Self.window }

    /// Whether so much is lost that a shorter time is enough.
    ///
    /// The effect of a reduction needs the whole time.
    private var isHeavy: Bool {
        let heavy = Self.heavy
        guard reduction == nil, current.packets >= heavy.packets, current.seconds >= heavy.window else { return false }
        return Double(current.lost) / Double(current.packets) > own + heavy.share + chance(in: current.packets)
    }

    /// So much more than the path's own loss, or than what is tolerated, may be chance.
    private func chance(in packets: Int) -> Double {
        let expected = max(own, Self.tolerance)
        return Self.deviations * (expected * (1 - expected) / Double(packets)).squareRoot()
    }

    private mutating func forget() { (reduction, fruitless, lowered) = (nil, 0, 1) }

    private mutating func judge(_ measured: Measurement, isConclusive: Bool) -> Double? {
        latest = Double(measured.lost) / Double(measured.packets)
        let arrived = Double(measured.arrivedBytes) / measured.seconds
        let isMore = latest - own > Self.tolerance + chance(in: measured.packets)
        if !isMore { own += (latest < own ? Self.weights.less : Self.weights.more) * (latest - own) }
        isExcessive = isConclusive && isMore
        guard isConclusive else {
            forget()
            return latest - own > Self.excess ? 1 - latest / 2 : nil
        }
        if reduction?.isNew == true {
            reduction?.isNew = false
            return nil
        }
        if let reduction {
            // A full path delivers as much as before and loses less; radio delivers as much less as was sent.
            let delivered = arrived / reduction.arrived
            let isFruitless =
                delivered < (1 + reduction.factor) / 2 + Self.variation && latest - own > (reduction.loss - own) / 2
            fruitless = isFruitless ? fruitless + 1 : 0
            lowered = isFruitless ? lowered * reduction.factor : 1
            // No path loses more than this by itself. Retransmissions would hide that a lower rate helps.
            if fruitless >= Self.attempts, latest <= Self.excess {
                defer { forget() }
                (own, isExcessive) = (latest, false)
                return 1 / lowered
            }
        }
        guard isExcessive else {
            forget()
            return nil
        }
        // What arrives, and a little less.
        let factor = min(1 - (latest - own), 1 - Self.smallest)
        reduction = Reduction(factor: factor, arrived: arrived, loss: latest)
        return factor
    }
}
