import Testing

@testable import MediaEngine

@Suite("The bandwidth estimate") struct BandwidthEstimatorTests {
    private let megabit = 1_000_000.0

    @Test(
        "A wide path changes nothing, whatever its jitter and the clocks", arguments: [0, 0.015, 0.03],
        [0, 2e-4, -2e-4])
    func wide(jitter: Double, drift: Double) {
        var path = SimulatedPath(wanted: megabit)
        (path.jitter, path.drift) = (jitter, drift)
        path.run(seconds: 60)
        #expect(path.lowestEstimate >= megabit)
    }

    @Test(
        "Jitter of 150 ms is no steep rise of a queue: the rate of a wide path stays", arguments: [0.1, 0.15],
        1...4 as ClosedRange<UInt64>)
    func largeJitter(jitter: Double, seed: UInt64) {
        var path = SimulatedPath(wanted: megabit, seed: seed)
        (path.jitter, path.hasAudio) = (jitter, true)
        path.run(seconds: 60)
        #expect(Double(path.arrivedBytes) * 8 / 60 > 0.85 * megabit)
    }

    @Test("Simple video on a path with jitter: the estimate does not fall to what they need")
    func simpleVideo() {
        var path = SimulatedPath(wanted: megabit)
        (path.jitter, path.most) = (0.03, 120_000)
        path.run(seconds: 60)
        #expect(path.lowestEstimate >= megabit / 2)
    }

    @Test(
        "4 Mbit/s, 500 kbit/s, 2 Mbit/s: the rate follows, the queue stays short",
        arguments: 1...5 as ClosedRange<UInt64>)
    func steps(seed: UInt64) {
        var path = SimulatedPath(wanted: 3 * megabit, seed: seed)
        (path.rate, path.jitter, path.longestQueue) = (4 * megabit, 0.005, 1)
        path.run(seconds: 10)
        #expect(path.lowestEstimate >= 3 * megabit)
        path.rate = megabit / 2
        path.run(seconds: 5)
        path.clear()
        path.run(seconds: 15)
        #expect(path.longestWait < 0.3)
        #expect(Double(path.arrivedBytes) * 8 / 15 > 0.7 * path.rate)
        path.rate = 2 * megabit
        path.run(seconds: 10)
        path.clear()
        path.run(seconds: 10)
        #expect(path.longestWait < 0.3)
        #expect(Double(path.arrivedBytes) * 8 / 10 > 0.7 * path.rate)
    }

    @Test(
        "A path suddenly takes a quarter of what is sent: the rate follows within 400 ms, and the queue empties",
        arguments: [0.2, 1], [0.002, 0.03])
    func suddenStep(longestQueue: Double, jitter: Double) {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.jitter, path.longestQueue) = (4 * megabit, jitter, longestQueue)
        path.run(seconds: 5)
        path.rate = megabit / 2
        path.run(seconds: 0.4)
        #expect(0.6...1.2 ~= path.estimator.bitrate / path.rate)
        path.run(seconds: 1.8)
        path.clear()
        path.run(seconds: 1)
        #expect(path.longestWait < 0.1)
        #expect(Double(path.arrivedBytes) * 8 > 0.6 * path.rate)
    }

    @Test(
        "A path suddenly takes a seventh of what is sent: the packets of one frame show it", arguments: [0.002, 0.03])
    func steepStep(jitter: Double) {
        var path = SimulatedPath(wanted: 3.6 * megabit)
        (path.rate, path.jitter, path.longestQueue) = (4 * megabit, jitter, 2)
        path.run(seconds: 5)
        path.rate = megabit / 2
        path.clear()
        path.run(seconds: 0.5)
        #expect(path.estimator.target < 0.3 * path.rate, "almost nothing is added to the queue")
        path.run(seconds: 1.8)
        #expect(path.lostPackets == 0 && path.longestWait < 1.8, "the queue of 2 s is never full")
        path.clear()
        path.run(seconds: 5)
        #expect(path.longestWait < 0.5)
        #expect(Double(path.arrivedBytes) * 8 / 5 > 0.7 * path.rate)
    }

    @Test("A path stays full while the packets of one large frame arrive, each of which waited longer")
    func oneFrame() {
        var estimator = BandwidthEstimator(start: 4 * megabit)
        for number in 0..<40 {
            estimator.note(
                [PacketReport(number: UInt16(number), sent: 0, received: 1 + Double(number) * 0.064, bytes: 1_200)],
                enough: 4 * megabit)
            if number >= 6 {
                #expect(estimator.isCongested && estimator.backlog > Double(number - 1) * 0.064)
                #expect(0.6...1.2 ~= estimator.bitrate / 150_000)
            }
        }
    }

    @Test("Packets that are sent far apart are no frame, however their delay rises")
    func ramp() {
        var estimator = BandwidthEstimator(start: 1_000_000)
        // Audio alone, and a delay that rises by 30 ms with each packet for a while.
        for number in 0..<400 {
            let sent = Double(number) * 0.02
            let delay = 0.03 * Double(min(max(number - 200, 0), 8))
            estimator.note(
                [PacketReport(number: UInt16(number), sent: sent, received: sent + 0.04 + delay, bytes: 120)],
                enough: 1_000_000)
            if (201...206).contains(number) { #expect(estimator.target > 0.5 * estimator.bitrate) }
        }
    }

    @Test(
        "On a path that is nearly full, frames wait for each other now and then: that lowers the rate when they wait long",
        arguments: [(0.03, 2...2), (0.04, 0.5...1.6)] as [(Double, ClosedRange<Double>)])
    func waves(longest: Double, lowest: ClosedRange<Double>) {
        var estimator = BandwidthEstimator(start: 2 * megabit)
        var least = Double.infinity
        for frame in 0..<600 {
            let sent = Double(frame) / 30
            // For 15 frames each waits longer than the one before it, for 15 less long.
            let wait = frame < 60 ? 0 : longest * Double(min(frame % 30, 30 - frame % 30)) / 15
            let packets = (0..<6).map { number in
                PacketReport(
                    number: UInt16(frame * 6 + number), sent: sent,
                    received: sent + 0.04 + wait + Double(number) * 0.0048, bytes: 1_200)
            }
            estimator.note(packets, enough: 2 * megabit)
            least = min(least, estimator.bitrate)
        }
        #expect(lowest.contains(least / megabit))
    }

    @Test("A path that takes little from the beginning is known at once", arguments: [0.15, 0.5, 1])
    func narrowFromTheBeginning(rate: Double) {
        var path = SimulatedPath(wanted: 4 * megabit)
        (path.rate, path.longestQueue) = (rate * megabit, 2)
        // Six packets need so long for a rate of 150 kbit/s; then the report follows.
        path.run(seconds: 0.6)
        #expect(path.estimator.bitrate < 2 * path.rate)
        path.run(seconds: 5)
        path.clear()
        path.run(seconds: 5)
        #expect(path.longestWait < 0.5)
        #expect(Double(path.arrivedBytes) * 8 / 5 > 0.4 * path.rate)
    }

    @Test("Simple video needs a little more than the path takes: that is known before much waits")
    func simpleVideoOnNarrowPath() {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.most, path.longestQueue, path.hasAudio) = (0.15 * megabit, 0.2 * megabit, 4, true)
        path.run(seconds: 3)
        #expect(path.estimator.bitrate < 2 * path.rate && path.longestWait < 1)
    }

    @Test("Loss of the path itself lowers the rate little, and not for long", arguments: [0.05, 0.1, 0.2])
    func randomLoss(loss: Double) {
        var path = SimulatedPath(wanted: megabit)
        (path.loss, path.jitter) = (loss, 0.015)
        path.run(seconds: 20)
        path.clear()
        path.run(seconds: 40)
        #expect(path.estimator.bitrate > 0.9 * megabit)
        #expect(path.lowestEstimate > 0.5 * megabit)
    }

    @Test(
        "A queue that overflows at once shows by its loss, and is not filled again and again",
        arguments: [(0.5, 0.06, 0), (0.5, 0.03, 0), (2, 0.03, 0), (0.25, 0.03, 0), (2, 0.03, 0.2), (0.5, 0.06, 0.2)])
    func shortQueue(rate: Double, longestQueue: Double, reportLoss: Double) {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.longestQueue, path.reportLoss) = (rate * megabit, longestQueue, reportLoss)
        path.run(seconds: 5)
        // A mute says nothing about the path.
        path.rest(seconds: 4)
        path.run(seconds: 10)
        path.clear()
        path.run(seconds: 15)
        #expect(path.estimator.bitrate < 1.2 * path.rate)
        #expect(Double(path.arrivedBytes) * 8 / 15 > 0.75 * path.rate)
        #expect(Double(path.lostPackets) < 0.06 * Double(path.sentPackets))
    }

    @Test("A short queue that takes far less than is wanted: the rate falls within 600 ms", arguments: [0.5, 0.25])
    func shortQueueAtBeginning(share: Double) {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.longestQueue) = (2 * share * megabit, 0.03)
        path.run(seconds: 0.6)
        #expect(path.estimator.bitrate < 1.7 * megabit)
        #expect(path.estimator.hasShortQueue)
        // A long queue loses nothing, and shows by its delay.
        var long = SimulatedPath(wanted: 2 * megabit)
        (long.rate, long.longestQueue) = (2 * share * megabit, 2)
        long.run(seconds: 20)
        #expect(!long.estimator.hasShortQueue)
    }

    @Test("A path with a short queue that takes more is used again, and probed again")
    func shortQueueNoMore() {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.longestQueue) = (megabit, 0.03)
        path.run(seconds: 15)
        #expect(path.estimator.hasShortQueue && path.probeCount == 0)
        path.rate = 4 * megabit
        path.run(seconds: 15)
        #expect(path.estimator.bitrate > 2 * megabit)
        #expect(!path.estimator.hasShortQueue && path.probeCount > 0)
    }

    @Test("A path that takes more than before is found out soon", arguments: [0.002, 0.015], [0.04, 0.15])
    func wider(jitter: Double, delay: Double) {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.jitter, path.delay, path.longestQueue) = (0.3 * megabit, jitter, delay, 0.3)
        path.run(seconds: 10)
        path.rate = 1.5 * megabit
        // Without probes it is below 0.5 Mbit/s then.
        path.run(seconds: 6)
        #expect(path.estimator.bitrate > megabit && path.probeCount > 0)
        path.clear()
        path.run(seconds: 20)
        #expect(path.estimator.bitrate < 1.7 * megabit)
        #expect(Double(path.arrivedBytes) * 8 / 20 > 0.8 * path.rate)
        #expect(path.longestWait < 0.3)
    }

    /// A path of 2 Mbit/s that took 0.5 Mbit/s before, once probes have raised the estimate to `bitrate`.
    private func widened(seed: UInt64, until bitrate: Double) -> SimulatedPath {
        var path = SimulatedPath(wanted: 4 * megabit, seed: seed)
        (path.rate, path.jitter, path.longestQueue) = (0.5 * megabit, 0.005, 2)
        path.run(seconds: 10)
        path.rate = 2 * megabit
        let before = path.probeCount
        for _ in 0..<200 where path.estimator.bitrate < bitrate { path.run(seconds: 0.05) }
        #expect(path.estimator.bitrate >= bitrate && path.probeCount > before)
        return path
    }

    @Test("After probes found what the path takes, the rate stays near that", arguments: [0.0, 0.3])
    func afterProbes(encoderDelay: Double) {
        var shares: [Double] = []
        for seed: UInt64 in 1...20 {
            var path = widened(seed: seed, until: 1.7 * megabit)
            // The encoder follows only after this time.
            path.most = 0.5 * megabit
            path.run(seconds: encoderDelay)
            path.most = .infinity
            path.clear()
            path.run(seconds: 5)
            shares.append(Double(path.arrivedBytes) * 8 / 5 / path.rate)
        }
        #expect(shares.reduce(0, +) / 20 > 0.93 && shares.allSatisfy { $0 > 0.8 })
    }

    @Test("What arrives just after a probe is no measure of the path: the rate does not fall to that")
    func fullAfterProbe() {
        for seed: UInt64 in 1...20 {
            var path = widened(seed: seed, until: 1.7 * megabit)
            // The probe found a little too much, so a queue grows at once.
            path.rate = path.estimator.bitrate * 0.8
            path.clear()
            path.run(seconds: 0.6)
            #expect(path.lowestEstimate > 0.95 * path.rate)
        }
    }

    @Test("A path that gets wider and has a short queue is probed, and does not lose much by that")
    func widerShortQueue() {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.longestQueue) = (0.3 * megabit, 0.3)
        path.run(seconds: 10)
        (path.rate, path.longestQueue) = (megabit, 0.05)
        path.clear()
        path.run(seconds: 30)
        #expect(path.probeCount > 0)
        #expect(0.5...1.2 ~= path.estimator.bitrate / path.rate)
        #expect(Double(path.lostPackets) < 0.06 * Double(path.sentPackets))
    }

    @Test("A path that takes no more is probed rarely, one that takes everything never")
    func rareProbes() {
        var narrow = SimulatedPath(wanted: 2 * megabit)
        (narrow.rate, narrow.longestQueue) = (0.5 * megabit, 1)
        narrow.run(seconds: 10)
        let before = narrow.probeCount
        narrow.run(seconds: 60)
        #expect(1...15 ~= narrow.probeCount - before)
        var wide = SimulatedPath(wanted: megabit)
        wide.run(seconds: 60)
        #expect(wide.probeCount == 0)
    }

    @Test("A path that is interrupted for a second takes as much as before", arguments: [10, 1.5])
    func outage(rate: Double) {
        var path = SimulatedPath(wanted: megabit)
        path.rate = rate * megabit
        path.run(seconds: 5)
        path.clear()
        path.loss = 1
        path.run(seconds: 1)
        path.loss = 0
        path.run(seconds: 3)
        #expect(path.lostPackets > 80)
        #expect(path.lowestEstimate > megabit)
    }

    @Test("Lost reports delay the estimate, and do not mislead it")
    func lostReports() {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.reportLoss, path.rate, path.longestQueue) = (0.2, megabit, 1)
        path.run(seconds: 10)
        path.clear()
        path.run(seconds: 20)
        #expect(path.longestWait < 0.4)
        #expect(Double(path.arrivedBytes) * 8 / 20 > 0.6 * path.rate)
    }

    @Test("A longer path is no queue: the rate falls little, and not for long", arguments: [true, false])
    func longerPath(isKnown: Bool) {
        var path = SimulatedPath(wanted: megabit)
        path.run(seconds: 20)
        path.delay += 0.15
        if isKnown { path.changePath() }
        path.clear()
        path.run(seconds: 20)
        #expect(path.lowestEstimate > (isKnown ? 1 : 0.3) * megabit)
        #expect(path.estimator.bitrate >= megabit)
    }

    @Test("More is wanted on a path that took everything: it is sent at once")
    func moreIsWanted() {
        var path = SimulatedPath(wanted: megabit)
        path.run(seconds: 5)
        var estimator = path.estimator
        estimator.note([], enough: 2.5 * megabit)
        #expect(estimator.bitrate == 2.5 * megabit)
    }

    @Test("Packets that overtake each other hide no queue, and are none")
    func reordering() {
        var path = SimulatedPath(wanted: megabit)
        path.overtaken = 0.05
        path.run(seconds: 30)
        #expect(path.lowestEstimate >= megabit)
        path.rate = megabit / 2
        path.run(seconds: 5)
        #expect(path.estimator.bitrate < 0.6 * megabit)
    }

    @Test("Another path is measured anew, from the present rate")
    func otherPath() {
        var path = SimulatedPath(wanted: 2 * megabit)
        (path.rate, path.longestQueue) = (megabit / 2, 1)
        path.run(seconds: 10)
        var estimator = path.estimator
        estimator.changePath()
        #expect(estimator.bitrate == path.estimator.bitrate)
        #expect(estimator.received == nil && estimator.queue == 0 && !estimator.isCongested)
    }

    @Test("Reports that a peer makes up keep the estimate in its range")
    func madeUp() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            var estimator = BandwidthEstimator(start: megabit)
            var sent = 100.0
            for _ in 0..<300 {
                let reports = (0..<random.next() % 40).map { _ in
                    sent += random.share() < 0.5 ? 0 : random.share() * 0.02
                    let received = [nil, sent, -sent, 1e12, random.share() * 16_777_216][Int(random.next() % 5)]
                    return PacketReport(
                        number: UInt16(truncatingIfNeeded: random.next()), sent: sent, received: received,
                        bytes: Int(random.next() % 65_536))
                }
                estimator.note(reports, enough: 4 * megabit)
                if estimator.takeProbe(most: .infinity) != nil {
                    estimator.note(.begun(at: sent))
                    if random.share() < 0.5 { estimator.note(.ended(at: sent + 0.05)) }
                }
                #expect(BandwidthEstimator.range.contains(estimator.bitrate))
                #expect(estimator.queue.isFinite && (0...1).contains(estimator.loss))
            }
        }
    }

    @Test("The share of video in a bandwidth, and the bandwidth that is enough for it")
    func share() {
        #expect(VideoShare(of: VideoShare.bandwidth(forKbit: 1_000), loss: 0.1).kbit >= 1_000)
        #expect(VideoShare(of: 500_000, loss: 0).kbit == 461)
        #expect(VideoShare(of: 500_000, loss: 0.2).kbit == 384)
        #expect(VideoShare(of: 0, loss: 1).kbit == VideoShare.lowestKbit)
    }
}
