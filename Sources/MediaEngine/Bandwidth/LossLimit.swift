/// How much less should be sent because packets get lost.
///
/// A short queue that overflows shows in no delay. But radio loses packets at any rate, and sending less does not help then. So a loss that a lower rate
/// does not cure is taken as the path's own, as in libwebrtc's newer loss-based estimator. A pure value.
struct LossLimit: Sendable {
    /// Up to this share, above the path's own, loss is no sign of congestion; draft-ietf-rmcat-gcc-02 section 6.
    private static let tolerance = 0.1
    /// More than this is too much at any rate, also while a lower one would say nothing.
    private static let excess = 0.4
    /// So many packets and s make one measurement.
    private static let packets = 20
    private static let window = 0.5
    /// After so many reductions without effect the loss is the path's own.
    private static let attempts = 2

    private struct Reduction {
        let factor: Double
        /// What arrived before it, in bytes a second.
        let arrived: Double
        /// A reduction acts a round trip later.
        var isNew = true
    }

    private var begin: Double?
    private var sent = 0
    private var lost = 0
    private var arrivedBytes = 0
    private var reduction: Reduction?
    private var fruitless = 0
    /// The loss of the path at any rate.
    private var own = 0.0
    /// The share of the packets that was lost last, 0 to 1.
    private(set) var latest = 0.0

    /// Notes a packet by the time when it was sent, in s.
    ///
    /// `isConclusive` is false while a lower rate would say nothing: a queue is full, or less is sent than may be.
    /// - Returns: The factor for the rate when less should be sent now.
    mutating func note(_ report: PacketReport, isConclusive: Bool) -> Double? {
        begin = begin ?? report.sent
        sent += 1
        if report.received == nil { lost += 1 } else { arrivedBytes += report.bytes }
        guard let begin, sent >= Self.packets, report.sent - begin >= Self.window else { return nil }
        latest = Double(lost) / Double(sent)
        let arrived = Double(arrivedBytes) / (report.sent - begin)
        (self.begin, sent, lost, arrivedBytes) = (report.sent, 0, 0, 0)
        // A path that gets better is better at once.
        own = min(own, latest)
        guard isConclusive else {
            (reduction, fruitless) = (nil, 0)
            return latest - own > Self.excess ? 1 - latest / 2 : nil
        }
        return judge(arrived: arrived)
    }

    private mutating func judge(arrived: Double) -> Double? {
        if reduction?.isNew == true {
            reduction?.isNew = false
            return nil
        }
        if let reduction {
            // A full path delivers as much as before, and radio as much less as was sent.
            let isFruitless = arrived < reduction.arrived * (1 + reduction.factor) / 2
            fruitless = isFruitless ? fruitless + 1 : 0
            if fruitless >= Self.attempts { (own, fruitless) = (latest, 0) }
        }
        let excess = latest - own
        guard excess > Self.tolerance else {
            reduction = nil
            return nil
        }
        let factor = 1 - excess / 2
        reduction = Reduction(factor: factor, arrived: arrived)
        return factor
    }
}
