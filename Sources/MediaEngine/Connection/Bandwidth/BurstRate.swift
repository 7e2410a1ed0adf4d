/// How fast packets arrive that were sent at once: what the path takes of all who share it.
///
/// A pure value.
struct BurstRate: Sendable {
    /// Packets within this time, in s, were sent at once.
    private static let burst = 0.005
    /// Fewer packets, and bursts that took less s to arrive in all, say nothing: the clock of the reports is coarse.
    private static let least = (packets: 4, seconds: 0.02)
    /// What the bursts before the latest one count.
    private static let memory = 0.95

    private struct Burst {
        let sent: Double
        let first: Double
        var last: Double
        var packets = 1
        /// Of all but the first packet.
        var bytes = 0
    }
    private var current: Burst?
    private var arrived = (bits: 0.0, seconds: 0.0)

    /// In bit/s; nil: not known.
    var bitrate: Double? { arrived.seconds < Self.least.seconds ? nil : arrived.bits / arrived.seconds }

    /// Forgets all but what a single burst showed, in bit/s: the path has changed.
    mutating func restart(with bitrate: Double) {
        (current, arrived) = (nil, (bits: bitrate * Self.least.seconds, seconds: Self.least.seconds))
    }

    /// Notes a packet by the times when it was sent and received, in s; `isNext` is false when nothing is known about the one before it.
    mutating func note(sent: Double, received: Double, bytes: Int, isNext: Bool) {
        if var burst = current, isNext, sent - burst.sent <= Self.burst, received >= burst.last {
            (burst.packets, burst.bytes, burst.last) = (burst.packets + 1, burst.bytes + bytes, received)
            current = burst
            return
        }
        if let current, current.packets >= Self.least.packets, current.last > current.first {
            arrived.bits = arrived.bits * Self.memory + Double(current.bytes) * 8
            arrived.seconds = arrived.seconds * Self.memory + current.last - current.first
        }
        current = Burst(sent: sent, first: received, last: received)
    }
}
