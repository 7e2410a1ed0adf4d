import Testing

@testable import MediaEngine

@Suite("What arrives above the allowed rate") struct ReceivedRateMeterTests {
    private let begin = ClockReading.now

    /// For so many seconds, 50 packets a second at a rate; returns when it ends.
    @discardableResult
    private func feed(_ meter: inout ReceivedRateMeter, kbit: Int, from: Double = 0, seconds: Double) -> Double {
        for packet in 0..<Int(seconds * 50) {
            meter.add(kbit * 1_000 / 8 / 50, at: begin + .seconds(from + Double(packet) / 50))
        }
        return from + seconds
    }

    @Test("A rate within the tolerance is never too much, and a higher one is from the fifth second on")
    func rates() {
        for (kbit, isTooMuch) in [(300, false), (440, false), (460, true), (3_000, true)] {
            var meter = ReceivedRateMeter(maximumKbit: 300)
            feed(&meter, kbit: kbit, seconds: 4.9)
            #expect(meter.aboveMs == 0)
            feed(&meter, kbit: kbit, from: 4.9, seconds: 10.1)
            #expect(
                isTooMuch ? (9_500...10_250).contains(meter.aboveMs) : meter.aboveMs == 0, "\(kbit): \(meter.aboveMs)")
        }
    }

    @Test("A key frame that takes two seconds' bits is within the limit, and so is what a pause held back")
    func bursts() {
        var meter = ReceivedRateMeter(maximumKbit: 300)
        var now = 0.0
        for _ in 0..<10 {
            meter.add(75_000, at: begin + .seconds(now))
            now = feed(&meter, kbit: 300, from: now, seconds: 10)
        }
        now = feed(&meter, kbit: 600, from: now + 2, seconds: 2)
        feed(&meter, kbit: 300, from: now, seconds: 10)
        #expect(meter.aboveMs == 0)
    }

    @Test("No rate is too low to keep to, and a day's pause costs nothing")
    func extremes() {
        var meter = ReceivedRateMeter(maximumKbit: 6)
        let now = feed(&meter, kbit: ReceivedRateMeter.leastKbit - 5, seconds: 20)
        feed(&meter, kbit: 1_000, from: now + 86_400, seconds: 0.2)
        feed(&meter, kbit: 50, from: now + 86_400.2, seconds: 10)
        #expect(meter.aboveMs == 0)
        feed(&meter, kbit: 1_000, from: now + 86_420, seconds: 4)
        #expect(meter.aboveMs > 0)
    }
}
