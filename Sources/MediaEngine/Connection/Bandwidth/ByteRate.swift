/// How much was sent or arrived in half a second, the latest about which everything is known.
struct ByteRate: Sendable {
    private static let window = 0.5
    private static let maximum = 4_096
    private static let fewest = 5
    private var packets: [(time: Double, bytes: Int)] = []
    private var bytes = 0
    private var begin: Double?
    private var latest: Double?
    /// The time without lost reports.
    private var clock = 0.0

    /// Notes a packet; with `isNext` false, nothing is known about the time before it, and about what it had.
    mutating func note(_ count: Int, at time: Double, isNext: Bool) {
        defer { latest = time }
        let passed = time - (latest ?? time)
        // Another clock, as after a restart of the peer.
        guard abs(passed) < 10 else {
            self = ByteRate()
            return
        }
        guard isNext else { return }
        clock += passed
        begin = begin ?? clock
        packets.append((clock, count))
        bytes += count
        // A peer may report times that never rise.
        while let first = packets.first, first.time <= clock - Self.window || packets.count > Self.maximum {
            bytes -= packets.removeFirst().bytes
        }
    }

    /// In bit/s; nil before half a second has passed.
    var bitrate: Double? {
        guard let begin, clock - begin >= Self.window else { return nil }
        return Double(bytes) * 8 / Self.window
    }

    /// The same of a shorter time, in s; nil when too few packets arrived to know.
    func bitrate(ofLast seconds: Double) -> Double? {
        let latest = packets.reversed().prefix { $0.time > clock - seconds }
        return latest.count < Self.fewest ? nil : Double(latest.reduce(0) { $0 + $1.bytes }) * 8 / seconds
    }
}
