/// What a network does to the packets that one end sends.
public struct NetworkConditions: Sendable, Equatable {
    /// How long each packet takes, in ms.
    public var delayMs = 0.0
    /// How much longer a packet may take, in ms: evenly distributed, and no packet overtakes another.
    public var jitterMs = 0.0
    /// The share of packets that are lost, in percent.
    public var lossPercent = 0.0
    /// How many packets are lost in a row, on average; 1: each one by itself.
    public var burst = 1.0
    /// The share of packets that take 15 ms longer, so that later ones overtake them, in percent.
    public var reorderedPercent = 0.0
    /// What the network takes, in bit/s, with the headers of IP and UDP; nil: everything.
    public var bitrate: Double?
    /// How much may wait where the rate is limited, in ms at this rate; what is more is lost.
    public var queueMs = 300.0

    /// How much longer a packet takes that others overtake, in ms.
    static let overtakenMs = 15.0

    /// A network that does nothing.
    public init() {}

    private static let delays = 0.0...10_000
    private static let shares = 0.0...100
    private static let bursts = 1.0...1_000
    private static let bitrates = 1_000.0...100_000_000_000
    private static let queues = 1.0...60_000

    /// Why the values cannot be used; nil if they can.
    public var complaint: String? {
        if !Self.delays.contains(delayMs) { return "a delay is 0 to 10000 ms" }
        if !Self.delays.contains(jitterMs) { return "jitter is 0 to 10000 ms" }
        if !Self.shares.contains(lossPercent) { return "a loss is 0 to 100 %" }
        if !Self.bursts.contains(burst) { return "a burst has 1 to 1000 packets" }
        if !Self.shares.contains(reorderedPercent) { return "the reordered share is 0 to 100 %" }
        if let bitrate, !Self.bitrates.contains(bitrate) { return "a rate is 1 kbit/s to 100 Gbit/s" }
        if !Self.queues.contains(queueMs) { return "a queue is 1 to 60000 ms" }
        return nil
    }

    /// With the nearest value that can be used in place of each that cannot.
    var clamped: NetworkConditions {
        func nearest(_ value: Double, _ range: ClosedRange<Double>) -> Double {
            value.isNaN ? range.lowerBound : min(max(value, range.lowerBound), range.upperBound)
        }
        var result = self
        result.delayMs = nearest(delayMs, Self.delays)
        result.jitterMs = nearest(jitterMs, Self.delays)
        result.lossPercent = nearest(lossPercent, Self.shares)
        result.burst = nearest(burst, Self.bursts)
        result.reorderedPercent = nearest(reorderedPercent, Self.shares)
        result.bitrate = bitrate.map { nearest($0, Self.bitrates) }
        result.queueMs = nearest(queueMs, Self.queues)
        return result
    }
}
