import Testing

@testable import MediaEngine

@Suite("A probe of the path") struct BandwidthProbeTests {
    private let megabit = 1_000_000.0

    /// The verdict on packets of 1,000 bytes that are sent at one rate and arrive at another.
    private func verdict(
        _ probe: inout BandwidthProbe, sentAt rate: Double, arrivedAt arrived: Double, from begin: Double = 10,
        packets: Int = 10, losing lost: Int? = nil
    ) -> Double? {
        for index in 0..<packets {
            let bits = Double(index) * 8_000
            let report = PacketReport(
                number: UInt16(index), sent: begin + bits / rate,
                received: index == lost ? nil : 500 + bits / arrived, bytes: 1_000)
            if let taken = probe.note(report) { return taken }
        }
        return nil
    }

    @Test("It is sent at twice the estimate, for 20 ms or with five packets")
    func train() {
        var (narrow, wide) = (BandwidthProbe(), BandwidthProbe())
        #expect(narrow.begin(at: 0, bitrate: megabit / 4) == BandwidthProbe.Train(rate: megabit / 2, packets: 5))
        #expect(wide.begin(at: 0, bitrate: 5 * megabit) == BandwidthProbe.Train(rate: 10 * megabit, packets: 21))
    }

    @Test("A path that takes it takes the rate of the probe; a full one what arrived, and a little less")
    func verdicts() {
        var probe = BandwidthProbe()
        _ = probe.begin(at: 9.9, bitrate: megabit)
        let all = verdict(&probe, sentAt: 2 * megabit, arrivedAt: 2 * megabit)
        #expect(all.map { abs($0 - 2 * megabit) < 1 } == true)
        #expect(!probe.isUnderway)

        probe = BandwidthProbe()
        _ = probe.begin(at: 9.9, bitrate: megabit)
        let less = verdict(&probe, sentAt: 2 * megabit, arrivedAt: 1.5 * megabit)
        #expect(less.map { abs($0 - 1.5 * megabit * 0.95) < 1 } == true)
    }

    @Test("Media at its own rate, packets that came together, and gaps say nothing; without a verdict it ends")
    func nothing() {
        for (rate, lost) in [(megabit, nil), (100 * megabit, nil), (2 * megabit, 4)] as [(Double, Int?)] {
            var probe = BandwidthProbe()
            _ = probe.begin(at: 9.9, bitrate: megabit)
            #expect(verdict(&probe, sentAt: rate, arrivedAt: rate, packets: lost == nil ? 10 : 8, losing: lost) == nil)
            #expect(probe.isUnderway)
            #expect(verdict(&probe, sentAt: megabit, arrivedAt: megabit, from: 12) == nil)
            #expect(!probe.isUnderway)
        }
    }

    @Test("The next one follows soon when more was found, and more and more rarely otherwise")
    func pauses() {
        var probe = BandwidthProbe()
        /// The time until the next one.
        func pause(after begin: Double, isMore: Bool) -> Double? {
            probe.note(isMore: isMore)
            return stride(from: begin + 0.1, through: begin + 20, by: 0.1).first {
                probe.begin(at: $0, bitrate: megabit) != nil
            }
        }
        var (now, pauses): (Double, [Double]) = (0, [])
        _ = probe.begin(at: now, bitrate: megabit)
        for isMore in [true, true, false, false, false, true] {
            guard let next = pause(after: now, isMore: isMore) else { break }
            pauses.append(((next - now) * 10).rounded() / 10)
            now = next
        }
        #expect(pauses == [0.5, 0.5, 4, 5, 5, 0.5])
    }
}
