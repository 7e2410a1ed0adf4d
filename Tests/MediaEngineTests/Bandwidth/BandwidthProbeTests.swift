import Testing

@testable import MediaEngine

@Suite("A probe of the path") struct BandwidthProbeTests {
    private let megabit = 1_000_000.0

    /// A probe that left from 10 s on, at twice 1 Mbit/s.
    private func sent() -> BandwidthProbe {
        var probe = BandwidthProbe()
        _ = probe.begin(at: 9.9, bitrate: megabit)
        probe.note(.begun(at: 10))
        probe.note(.ended(at: 10.05))
        return probe
    }

    /// The verdict on packets of 1,000 bytes that were sent at one rate and arrived at another.
    private func verdict(
        _ probe: inout BandwidthProbe, sentAt rate: Double, arrivedAt arrived: Double, losing lost: Int? = nil
    ) -> BandwidthProbe.Finding? {
        for index in 0..<10 {
            let bits = Double(index) * 8_000
            let report = PacketReport(
                number: UInt16(index), sent: 10 + bits / rate, received: index == lost ? nil : 500 + bits / arrived,
                bytes: 1_000)
            guard probe.contains(report) else { break }
            #expect(probe.note(report, bitrate: megabit) == nil)
        }
        let next = PacketReport(number: 10, sent: 10.06, received: 500.1, bytes: 1_000)
        #expect(!probe.contains(next))
        return probe.note(next, bitrate: megabit)
    }

    @Test("It is sent at twice the estimate, for 20 ms or with five packets, and one at a time")
    func train() {
        var (narrow, wide, widest) = (BandwidthProbe(), BandwidthProbe(), BandwidthProbe())
        #expect(narrow.begin(at: 0, bitrate: megabit / 4) == BandwidthProbe.Train(rate: megabit / 2, packets: 5))
        #expect(wide.begin(at: 0, bitrate: 5 * megabit) == BandwidthProbe.Train(rate: 10 * megabit, packets: 21))
        #expect(wide.begin(at: 100, bitrate: 5 * megabit) == nil)
        #expect(widest.begin(at: 0, bitrate: 50 * megabit) == nil)
    }

    @Test("A path that takes it takes the rate of the probe; a full one what arrived, and a little less")
    func verdicts() {
        var probe = sent()
        let all = verdict(&probe, sentAt: 2 * megabit, arrivedAt: 2 * megabit)
        #expect(all.map { abs($0.rate - 2 * megabit) < 1 && !$0.isFull } == true)
        probe = sent()
        let less = verdict(&probe, sentAt: 2 * megabit, arrivedAt: 1.5 * megabit)
        #expect(less.map { abs($0.rate - 1.5 * megabit * 0.95) < 1 && $0.isFull } == true)
    }

    @Test("Reports that arrive before the last packet has left count, too")
    func early() {
        var probe = BandwidthProbe()
        _ = probe.begin(at: 9.9, bitrate: megabit)
        #expect(!probe.contains(PacketReport(number: 0, sent: 10, received: 500, bytes: 1_000)))
        probe.note(.begun(at: 10))
        for index in 0..<8 {
            if index == 6 { probe.note(.ended(at: 10.05)) }
            let time = Double(index) * 0.004
            let report = PacketReport(number: UInt16(index), sent: 10 + time, received: 500 + time, bytes: 1_000)
            #expect(probe.contains(report) && probe.note(report, bitrate: megabit) == nil)
        }
        let next = PacketReport(number: 8, sent: 10.06, received: 500.1, bytes: 1_000)
        #expect(probe.note(next, bitrate: megabit).map { abs($0.rate - 2 * megabit) < 1 } == true)
    }

    @Test("A path that takes no more, a slow train, a burst from a buffer, and a loss find nothing")
    func nothing() {
        for (rate, arrived, lost) in [
            (2 * megabit, 1.1 * megabit, nil), (1.5 * megabit, 1.5 * megabit, nil), (2 * megabit, 9 * megabit, nil),
            (2 * megabit, 2 * megabit, 4),
        ] as [(Double, Double, Int?)] {
            var probe = sent()
            #expect(verdict(&probe, sentAt: rate, arrivedAt: arrived, losing: lost) == nil)
            #expect(probe.begin(at: 13.8, bitrate: megabit) == nil && probe.begin(at: 14, bitrate: megabit) != nil)
        }
    }

    @Test("The next one follows soon when more was found, unless that was wrong, and rarely otherwise")
    func pauses() {
        var probe = sent()
        #expect(verdict(&probe, sentAt: 2 * megabit, arrivedAt: 2 * megabit) != nil)
        #expect(probe.begin(at: 10.3, bitrate: megabit) == nil)
        var wrong = probe
        #expect(probe.begin(at: 10.5, bitrate: megabit) != nil)
        wrong.noteDecrease(at: 10.8)
        #expect(wrong.begin(at: 14.8, bitrate: megabit) == nil && wrong.begin(at: 15, bitrate: megabit) != nil)
        // Nothing could be sent, twice.
        probe.note(.impossible)
        #expect(probe.begin(at: 14.4, bitrate: megabit) == nil && probe.begin(at: 14.6, bitrate: megabit) != nil)
        probe.note(.impossible)
        #expect(probe.begin(at: 19.5, bitrate: megabit) == nil && probe.begin(at: 19.7, bitrate: megabit) != nil)
    }

    @Test("A path that loses much is not probed")
    func lossyProbes() {
        var path = SimulatedPath(wanted: 2_000_000)
        (path.rate, path.loss, path.longestQueue) = (1_000_000, 0.1, 0.3)
        path.run(seconds: 10)
        let before = path.probeCount
        path.run(seconds: 60)
        #expect(path.probeCount == before)
        path.loss = 0
        path.run(seconds: 30)
        #expect(path.probeCount > before)
    }
}
