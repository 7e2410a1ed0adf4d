@testable import MediaEngine

/// A sender of video, a path with a queue, and a receiver that reports, in virtual time.
struct SimulatedPath {
    /// In bit/s.
    var rate = 10_000_000.0
    /// What waits longer than this for the link is dropped, in s.
    var longestQueue = 0.2
    /// Of one direction, in s.
    var delay = 0.04
    /// A packet is late by up to this much, in s; order is kept.
    var jitter = 0.0
    var loss = 0.0
    /// How much faster the receiver's clock runs.
    var drift = 0.0
    /// The share of packets that arrive 15 ms later than in order.
    var overtaken = 0.0
    /// The share of the reports that is lost.
    var reportLoss = 0.0
    /// What the encoder makes at most, in bit/s: simple video needs little.
    var most = Double.infinity
    /// Whether 50 packets of audio a second are sent beside the video.
    var hasAudio = false

    private(set) var estimator: BandwidthEstimator
    /// The longest wait of a packet since ``clear()``, in s.
    private(set) var longestWait = 0.0
    /// The bytes that arrived since ``clear()``.
    private(set) var arrivedBytes = 0
    /// Since ``clear()``.
    private(set) var (sentPackets, lostPackets) = (0, 0)
    private(set) var lowestEstimate = Double.infinity

    private let enough: Double
    private var random: SeededGenerator
    private var now = 0.0
    private var linkFree = 0.0
    private var lastArrival = 0.0
    private var number: UInt16 = 65_000
    private var debt = 0.0
    private var nextAudio = 0.011
    private var pending: [PacketReport] = []
    private var underway: [(due: Double, reports: [PacketReport])] = []
    /// When the packets of a probe are sent, and their size.
    private var probes: [Double] = []
    private var probeBytes = 0
    private(set) var probeCount = 0

    /// `wanted` is what the sender sends if it may, in bit/s.
    init(wanted: Double, seed: UInt64 = 1) {
        enough = wanted * 1.25
        estimator = BandwidthEstimator(start: enough)
        random = SeededGenerator(seed: seed)
    }

    mutating func changePath() { estimator.changePath() }

    mutating func clear() {
        (longestWait, arrivedBytes, lowestEstimate) = (0, 0, .infinity)
        (sentPackets, lostPackets) = (0, 0)
    }

    /// Runs for some time, frame by frame: 30 a second, and a report every 50 ms.
    mutating func run(seconds: Double) {
        let end = now + seconds
        var nextReport = now + 0.05
        while now < end {
            sendFrame()
            let next = now + 1.0 / 30
            sendAudio(until: next)
            sendProbes(until: next)
            now = next
            while nextReport <= now {
                report(at: nextReport)
                nextReport += 0.05
            }
            lowestEstimate = min(lowestEstimate, estimator.bitrate)
        }
    }

    /// Sends nothing for so many s, as while muted.
    mutating func rest(seconds: Double) { now += seconds }

    private mutating func sendAudio(until end: Double) {
        guard hasAudio else { return }
        while nextAudio < end {
            sendProbes(until: nextAudio)
            now = max(now, nextAudio)
            send(120)
            nextAudio += 0.02
        }
    }

    private mutating func sendProbes(until end: Double) {
        while let due = probes.first, due < end {
            now = max(now, due)
            probes.removeFirst()
            send(probeBytes)
        }
    }

    private mutating func sendFrame() {
        debt += min(estimator.target * 0.95, enough / 1.25, most) / 30 / 8
        while debt > 0 {
            let bytes = Int(min(1_200, max(debt, 200)))
            debt -= Double(bytes)
            send(bytes)
        }
    }

    private mutating func send(_ bytes: Int) {
        number &+= 1
        sentPackets += 1
        let begin = max(now, linkFree)
        guard begin - now <= longestQueue, random.share() >= loss else {
            lostPackets += 1
            return pending.append(PacketReport(number: number, sent: now, received: nil, bytes: bytes))
        }
        linkFree = begin + Double(bytes) * 8 / rate
        longestWait = max(longestWait, linkFree - now)
        lastArrival = max(lastArrival, linkFree + delay + jitter * random.share())
        arrivedBytes += bytes
        let late = random.share() < overtaken ? 0.015 : 0
        let received = (lastArrival + late) * (1 + drift) + 1_000
        pending.append(PacketReport(number: number, sent: now, received: received, bytes: bytes))
    }

    /// The receiver reports on what has arrived by now; the report takes as long as the delay.
    private mutating func report(at time: Double) {
        let count = pending.prefix { ($0.received.map { ($0 - 1_000) / (1 + drift) } ?? $0.sent + delay) <= time }.count
        let reports = Array(pending.prefix(count))
        pending.removeFirst(count)
        if !reports.isEmpty, random.share() >= reportLoss { underway.append((time + delay, reports)) }
        while let first = underway.first, first.due <= time {
            estimator.note(first.reports, enough: enough)
            underway.removeFirst()
            guard let train = estimator.takeProbe(most: .infinity) else { continue }
            probeCount += 1
            // The sender chooses among the packets of the video those that fit best.
            probeBytes = min(max(train.packetBytes, 200), 1_200)
            probes += (0..<train.packets).map { now + Double($0 * probeBytes) * 8 / train.rate }
            estimator.note(.begun(at: now))
            estimator.note(.ended(at: probes.last ?? now))
        }
    }
}

extension SeededGenerator {
    /// 0 to 1.
    mutating func share() -> Double { .random(in: 0..<1, using: &self) }
}
