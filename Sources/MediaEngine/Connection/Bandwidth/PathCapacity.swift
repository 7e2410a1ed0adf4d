/// A pure value: what a path took when it was full last, and how fast the estimate grows beside that.
struct PathCapacity: Sendable {
    private static let usualGrowth = 0.1
    /// Far below the rate at which the path was full last, or after so many s without one, the estimate grows faster.
    private static let fastGrowth = 0.4
    private static let patience = 2.0
    private static let far = 0.6
    /// Growth near the rate at which the path was full last, in bit/s each second: a constant and a share of the rate, up to `most`; and a further share.
    ///
    /// Each sender loses a share of its rate, and all gain about the same. So those who share a path come to equal rates.
    private static let carefulGrowth = (constant: 10_000.0, share: 0.05, most: 40_000.0, further: 0.01)
    /// The part of that growth on a path with a short queue: each time that such a path is full, the peer lacks frames.
    private static let shortQueueGrowth = 0.35

    /// In bit/s, on average; nil: not known.
    private(set) var rate: Double?
    /// Whether a full path loses packets before they wait long.
    ///
    /// A single burst of packets fills such a path, too.
    private(set) var hasShortQueue = false

    /// Notes what arrived while packets waited, in bit/s, and returns the average: it may be of a bad half second.
    mutating func noteQueue(_ taken: Double) -> Double {
        let average = average(with: taken)
        (rate, hasShortQueue) = (average, false)
        return average
    }

    /// Notes what arrived while packets waited long, in bit/s, which counts alone.
    mutating func noteLongQueue(_ taken: Double) { (rate, hasShortQueue) = (taken, false) }

    /// Notes what a probe found that filled the path, in bit/s.
    mutating func noteProbe(_ found: Double) { rate = found }

    /// Notes what arrived while packets were lost, in bit/s; nil: that says nothing about the path.
    mutating func noteLoss(_ taken: Double?, hasShortQueue: Bool) {
        if let taken { rate = average(with: taken) }
        self.hasShortQueue = hasShortQueue
    }

    /// The path takes more than it took.
    mutating func forget() { self = PathCapacity() }

    /// Notes the present estimate, in bit/s: far above the rate, it says nothing any more.
    mutating func noteGrowth(to bitrate: Double) {
        guard let rate else { return }
        if bitrate > rate * 1.3 { hasShortQueue = false }
        if bitrate > rate * 1.5 { self.rate = nil }
    }

    /// Whether an estimate of `bitrate` is near what the path took when it was full last, or above it.
    func isReached(by bitrate: Double) -> Bool { rate.map { bitrate >= $0 * Self.far } ?? false }

    /// By how much an estimate of `bitrate` grows, in bit/s each second; `quiet` is the time since its last reduction, in s.
    func growth(of bitrate: Double, quiet: Double) -> Double {
        let rule = Self.carefulGrowth
        let usual = min(rule.constant + rule.share * bitrate, rule.most) + rule.further * bitrate
        let careful = hasShortQueue ? usual * Self.shortQueueGrowth : usual
        if let rate, abs(bitrate - rate) < rate * 0.1 { return careful }
        let isFar = rate == nil ? quiet > Self.patience : !isReached(by: bitrate)
        return max(careful, bitrate * (isFar ? Self.fastGrowth : Self.usualGrowth))
    }

    private func average(with taken: Double) -> Double { rate.map { $0 * 0.7 + taken * 0.3 } ?? taken }
}
