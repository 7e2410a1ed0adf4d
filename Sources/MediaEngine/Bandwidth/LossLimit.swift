/// How much less should be sent because packets get lost.
///
/// A short queue that overflows shows in no delay. But radio loses packets at any rate, and sending less does not help then. So a loss that a lower rate
/// does not cure is taken as the path's own, as in libwebrtc's newer loss-based estimator. A pure value.
struct LossLimit: Sendable {
    /// Up to this share, above the path's own, loss is no sign of congestion; draft-ietf-rmcat-gcc-02 section 6.
    static let tolerance = 0.1
    /// So many packets and s make one measurement.
    private static let packets = 20
    private static let window = 0.5
    /// After so many reductions without effect the loss is the path's own.
    private static let attempts = 2
    /// A loss that a reduction lowers to this share was caused by it.
    private static let effect = 0.8

    private var begin: Double?
    private var sent = 0
    private var lost = 0
    private var fruitless = 0
    private var before: Double?
    /// The loss of the path at any rate.
    private(set) var own = 0.0
    /// The share of the packets that was lost last, 0 to 1.
    private(set) var latest = 0.0

    /// Notes a packet that was sent at this time, in s.
    ///
    /// What is lost while a queue is full is lost because of that queue, at any rate.
    /// - Returns: The factor for the rate when less should be sent now.
    mutating func note(sent time: Double, isLost: Bool, whileQueueing: Bool) -> Double? {
        begin = begin ?? time
        sent += 1
        if isLost { lost += 1 }
        guard let begin, sent >= Self.packets, time - begin >= Self.window else { return nil }
        latest = Double(lost) / Double(sent)
        (self.begin, sent, lost) = (time, 0, 0)
        return judge(whileQueueing)
    }

    private mutating func judge(_ isQueueing: Bool) -> Double? {
        // A path that gets better is better at once.
        own = min(own, latest)
        if isQueueing {
            (before, fruitless) = (nil, 0)
        } else if let before {
            fruitless = latest > before * Self.effect ? fruitless + 1 : 0
            if fruitless >= Self.attempts { (own, fruitless) = (latest, 0) }
        }
        let excess = latest - own
        guard excess > Self.tolerance else {
            before = nil
            return nil
        }
        before = latest
        return 1 - excess / 2
    }
}
