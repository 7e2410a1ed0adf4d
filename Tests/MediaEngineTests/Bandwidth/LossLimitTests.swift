import Testing

@testable import MediaEngine

@Suite("What lost packets say about the rate") struct LossLimitTests {
    /// Sends packets of 1,000 bytes, and notes the reports on them.
    private struct Sender {
        var limit = LossLimit()
        var now = 0.0
        private var number: UInt16 = 0
        private var packetsPerSecond = 200.0

        /// Sends until there is a verdict, and as much as that says afterwards.
        mutating func verdict(loseEvery: Int? = 10, within seconds: Double = 3) -> Double? {
            let end = now + seconds
            var index = 0
            while now < end {
                index += 1
                let isLost = loseEvery.map { index % $0 == 0 } ?? false
                guard let factor = send(after: 1 / packetsPerSecond, isLost: isLost) else { continue }
                packetsPerSecond *= factor
                return factor
            }
            return nil
        }

        /// Loses one of so many packets, and returns the verdicts.
        mutating func send(
            packetsPerSecond: Int = 200, seconds: Double, loseEvery: Int? = nil, isConclusive: Bool = true
        ) -> [Double] {
            (0..<Int(Double(packetsPerSecond) * seconds)).compactMap { index in
                send(
                    after: 1 / Double(packetsPerSecond), isLost: loseEvery.map { index % $0 == 0 } ?? false,
                    isConclusive: isConclusive)
            }
        }

        private mutating func send(after pause: Double, isLost: Bool, isConclusive: Bool = true) -> Double? {
            now += pause
            number &+= 1
            let report = PacketReport(number: number, sent: now, received: isLost ? nil : now + 0.05, bytes: 1_000)
            return limit.note(report, isNext: true, isConclusive: isConclusive)
        }
    }

    @Test("Two fruitless reductions in a row are taken back: the loss is the path's own")
    func fruitless() {
        var sender = Sender()
        let factors = (0..<3).compactMap { _ in sender.verdict() }
        #expect(factors.count == 3 && factors[0] < 1 && factors[1] < 1)
        #expect(abs(factors.reduce(1, *) - 1) < 0.001)
        let more = sender.verdict(within: 20)
        #expect(more == nil)
    }

    @Test("A loss of more than three tenths is never the path's own, however often a lower rate does not help")
    func tooMuch() {
        var sender = Sender()
        let factors = sender.send(seconds: 20, loseEvery: 3)
        #expect(factors.count > 5 && factors.allSatisfy { $0 < 1 })
    }

    @Test("A heavy loss shows within 200 ms, a lighter one within 600 ms", arguments: [(3, 0.2), (10, 0.6)])
    func heavyLoss(loseEvery: Int, within seconds: Double) {
        var sender = Sender()
        let early = sender.verdict(loseEvery: loseEvery, within: seconds - 0.1)
        let verdict = sender.verdict(loseEvery: loseEvery, within: 0.1)
        #expect(early == nil)
        // While a queue is full, a lower rate may cure nothing.
        var full = Sender()
        let inconclusive = full.send(seconds: 0.4, loseEvery: loseEvery, isConclusive: false)
        #expect(inconclusive.isEmpty)
        #expect(verdict.map { abs($0 - (1 - 1 / Double(loseEvery))) < 0.05 } == true)
    }

    @Test("A fruitless reduction is forgotten when the loss ends")
    func forgotten() {
        var sender = Sender()
        let first = sender.verdict(loseEvery: 12)
        // Too little to go on, too much for a success.
        let second = sender.verdict(loseEvery: 22, within: 1.03)
        let quiet = sender.verdict(loseEvery: nil, within: 20)
        #expect(first.map { $0 < 1 } == true && second == nil && quiet == nil)
        // So these are the first two again.
        let factors = (0..<3).compactMap { _ in sender.verdict() }
        #expect(factors.map { $0 < 1 } == [true, true, false])
    }

    @Test("Rare frames that lose their ends are no interruption")
    func rareFrames() {
        var sender = Sender()
        var verdicts: [Double] = []
        for _ in 0..<12 {
            // 10 packets arrive, and 20 of the same frame do not.
            verdicts += sender.send(packetsPerSecond: 1_000, seconds: 0.01)
            verdicts += sender.send(packetsPerSecond: 1_000, seconds: 0.02, loseEvery: 1)
            sender.now += 0.4
        }
        #expect(verdicts.contains { $0 < 0.7 })
    }

    @Test("What is lost while nothing arrives for 300 ms is no sign of a full path")
    func interruption() {
        var sender = Sender()
        let verdicts = [
            sender.send(seconds: 0.3), sender.send(seconds: 0.4, loseEvery: 1), sender.send(seconds: 2),
            // A shorter one is.
            sender.send(seconds: 0.25, loseEvery: 1), sender.send(seconds: 1),
        ]
        #expect(verdicts.map(\.isEmpty) == [true, true, true, true, false])
    }
}
