@testable import MediaEngine

/// Senders of video that share a link with one queue, with a TCP flow as well, in virtual time.
struct SharedLink {
    /// One sender, and what it knows.
    private struct Sender {
        var estimator: BandwidthEstimator
        var nextFrame: Double
        var nextReport: Double
        var number: UInt16 = 0
        /// In bytes.
        var debt = 0.0
        var pending: [PacketReport] = []
        /// When the packets of a probe are sent, and their size.
        var probes: [Double] = []
        var probeBytes = 0
        var underway: [(due: Double, reports: [PacketReport])] = []
        /// Since the last ``clear()``.
        var arrivedBytes = 0
    }

    /// In bit/s.
    var rate: Double
    /// What waits longer than this is dropped, in s.
    var longestQueue = 0.3
    /// Of one direction, in s.
    var delay = 0.03
    /// Whether they look for more with probes.
    var hasProbes = false
    /// Nil: there is none.
    var bulk: BulkFlow?
    private(set) var longestWait = 0.0
    private let wanted: Double
    private var senders: [Sender] = []
    private var random: SeededGenerator
    private var now = 0.0
    private var cleared = 0.0
    private var linkFree = 0.0
    private static let frame = 1.0 / 30
    private static let interval = 0.05

    /// `wanted` is what each sender sends if it may, in bit/s.
    init(rate: Double, wanted: Double, seed: UInt64 = 1) {
        (self.rate, self.wanted) = (rate, wanted)
        random = SeededGenerator(seed: seed)
    }

    /// One more sender begins.
    mutating func join() {
        let start = now + random.share() * Self.frame
        senders.append(
            Sender(
                estimator: BandwidthEstimator(start: wanted * 1.25), nextFrame: start, nextReport: start + Self.interval
            ))
    }

    mutating func clear() {
        (longestWait, cleared) = (0, now)
        bulk?.clear()
        for index in senders.indices { senders[index].arrivedBytes = 0 }
    }

    /// What arrived of each sender since ``clear()``, in bytes.
    var arrived: [Int] { senders.map(\.arrivedBytes) }

    /// Jain's index of what arrived: 1 when all got the same, 1/n when one got everything.
    var fairness: Double {
        let shares = arrived.map(Double.init)
        let sum = shares.reduce(0, +)
        return sum * sum / (Double(shares.count) * shares.map { $0 * $0 }.reduce(0, +))
    }

    /// The share of the link that the TCP flow used since ``clear()``.
    var bulkUse: Double { Double(bulk?.arrivedBytes ?? 0) * 8 / (now - cleared) / rate }

    /// The share of the link that they used since ``clear()``.
    var use: Double { Double(arrived.reduce(0, +)) * 8 / (now - cleared) / rate }

    mutating func run(seconds: Double) {
        let end = now + seconds
        while now < end {
            for index in senders.indices {
                if senders[index].nextFrame <= now { sendFrame(of: index) }
                sendProbe(of: index)
                if senders[index].nextReport <= now { report(to: index) }
            }
            sendBulk()
            now += 0.001
        }
    }

    private mutating func sendBulk() {
        for _ in 0..<(bulk?.takePackets(at: now) ?? 0) {
            let begin = max(now, linkFree)
            let isLost = begin - now > longestQueue
            if !isLost {
                linkFree = begin + Double(BulkFlow.bytes) * 8 / rate
                longestWait = max(longestWait, linkFree - now)
            }
            bulk?.note(sent: now, known: max(begin, linkFree) + 2 * delay, isLost: isLost)
        }
    }

    private mutating func sendFrame(of index: Int) {
        // Without chance, who comes first behind a full queue always does, and loses nothing.
        senders[index].nextFrame += Self.frame * (0.7 + 0.6 * random.share())
        senders[index].debt += min(senders[index].estimator.target * 0.95, wanted) / 30 / 8
        while senders[index].debt > 0 {
            let bytes = Int(min(1_200, max(senders[index].debt, 200)))
            senders[index].debt -= Double(bytes)
            send(bytes, of: index)
        }
    }

    private mutating func sendProbe(of index: Int) {
        while let due = senders[index].probes.first, due <= now {
            senders[index].probes.removeFirst()
            send(senders[index].probeBytes, of: index)
            if senders[index].probes.isEmpty { senders[index].estimator.note(.ended(at: now)) }
        }
    }

    private mutating func send(_ bytes: Int, of index: Int) {
        senders[index].number &+= 1
        let begin = max(now, linkFree)
        let isLost = begin - now > longestQueue
        if !isLost {
            linkFree = begin + Double(bytes) * 8 / rate
            longestWait = max(longestWait, linkFree - now)
            senders[index].arrivedBytes += bytes
        }
        senders[index].pending.append(
            PacketReport(
                number: senders[index].number, sent: now,
                received: isLost ? nil : linkFree + delay + random.share() * 0.002, bytes: bytes))
    }

    private mutating func report(to index: Int) {
        let time = now
        senders[index].nextReport += Self.interval
        let count = senders[index].pending.prefix { ($0.received ?? $0.sent + delay) <= time }.count
        let reports = Array(senders[index].pending.prefix(count))
        senders[index].pending.removeFirst(count)
        if !reports.isEmpty { senders[index].underway.append((time + delay, reports)) }
        while let first = senders[index].underway.first, first.due <= time {
            senders[index].estimator.note(first.reports, enough: wanted * 1.25)
            senders[index].underway.removeFirst()
            guard hasProbes, let train = senders[index].estimator.takeProbe(most: .infinity) else { continue }
            senders[index].probeBytes = min(max(train.packetBytes, 200), 1_200)
            senders[index].probes = (0..<train.packets).map {
                now + Double($0 * senders[index].probeBytes) * 8 / train.rate
            }
            senders[index].estimator.note(.begun(at: now))
        }
    }
}
