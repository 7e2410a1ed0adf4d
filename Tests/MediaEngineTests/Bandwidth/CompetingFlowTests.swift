import Testing

@testable import MediaEngine

@Suite("Another flow that fills the queue") struct CompetingFlowTests {
    /// A path that took 4 Mbit/s until now.
    private struct Path {
        var flow = CompetingFlow()
        var now = 0.0
        var bitrate = 4_000_000.0

        init() { note(sent: 4_000_000, queue: 0) }

        @discardableResult
        mutating func note(
            sent: Double, received: Double? = nil, whole: Double? = 4_000_000, queue: Double, jitter: Double = 0,
            hasLost: Bool = false, isApplicationLimited: Bool = false
        ) -> Double? {
            now += 0.05
            let path = CompetingFlow.Path(
                sent: sent, received: received ?? sent, whole: whole, queue: queue, jitter: jitter, hasLost: hasLost,
                isApplicationLimited: isApplicationLimited)
            let share = flow.share(of: path, bitrate: bitrate, after: 0.05, at: now)
            if let share { bitrate = share }
            return share
        }

        /// A queue of 60 ms from which `former` arrives; then it grows by 10 ms with each report, although less is sent.
        mutating func fill(
            rate: Double = 1_500_000, former: Double = 3_000_000, received: Double? = nil,
            whole: Double? = 4_000_000, step: Double = 0.01, jitter: Double = 0, isApplicationLimited: Bool = false,
            falls: Bool = false
        ) {
            bitrate = former
            for _ in 0..<15 { note(sent: former, whole: whole, queue: 0.06, jitter: jitter) }
            if falls { flow.noteFall() }
            bitrate = rate
            for report in 0..<(falls ? 30 : 10) {
                note(
                    sent: bitrate, received: received, whole: whole, queue: 0.06 + Double(report) * step,
                    jitter: jitter, isApplicationLimited: isApplicationLimited)
            }
        }
    }

    @Test("A queue that grows although little is sent is another's: half of the path is sent beside it")
    func begins() {
        var path = Path()
        path.fill()
        #expect(path.flow.isPresent)
        #expect((1_900_000..<2_300_000).contains(path.bitrate))
    }

    @Test("What this end fills or empties itself, what it never had, and what does not grow, is no such queue")
    func isNone() {
        var path = Path()
        path.fill(received: 1_900_000)
        #expect(!path.flow.isPresent, "it empties")
        path = Path()
        path.fill(received: 1_200_000)
        #expect(!path.flow.isPresent, "this end fills it")
        path = Path()
        path.fill(rate: 3_000_000)
        #expect(!path.flow.isPresent, "much is sent")
        path = Path()
        path.fill(former: 1_600_000)
        #expect(!path.flow.isPresent, "the path is narrow since the queue began")
        path = Path()
        path.fill(falls: true)
        #expect(!path.flow.isPresent, "it has just got narrow")
        path = Path()
        path.fill(step: 0)
        #expect(!path.flow.isPresent, "the path may be longer")
        path = Path()
        path.fill(jitter: 0.03)
        #expect(!path.flow.isPresent, "jitter does so, too")
        path = Path()
        path.fill(isApplicationLimited: true)
        #expect(!path.flow.isPresent, "nothing shows what the path takes")
        path = Path()
        path.fill(whole: 20_000_000)
        #expect(!path.flow.isPresent, "many share the path")
        path = Path()
        path.fill(whole: nil)
        #expect(!path.flow.isPresent, "many may share the path")
    }

    @Test("Beside it the rate grows while the queue does not fall, and a round trip with losses is one loss")
    func follows() throws {
        var path = Path()
        path.fill()
        let first = path.bitrate
        path.note(sent: first, queue: 0.2)
        // Three packets for each round trip of 0.3 s.
        #expect(abs(path.bitrate - first - 28_800 / 0.09 * 0.05) < 1)
        let second = path.bitrate
        path.note(sent: second, queue: 0.2, hasLost: true)
        #expect(abs(path.bitrate - second * 0.85) < 1)
        let third = path.bitrate
        path.note(sent: third, queue: 0.18, hasLost: true)
        path.note(sent: third, queue: 0.17)
        #expect(path.bitrate == third, "the queue falls")
        path.note(sent: third, queue: 0.19)
        #expect(path.bitrate > third)
        for _ in 0..<6 { path.note(sent: third, queue: 0.2, hasLost: true) }
        #expect(path.bitrate < third)
    }

    @Test("When much less arrives than is sent, the path has got narrow, and its queue counts again")
    func narrows() {
        var path = Path()
        path.fill()
        for _ in 0..<19 { path.note(sent: 2_000_000, received: 1_000_000, queue: 0.2) }
        #expect(path.flow.isPresent)
        for _ in 0..<3 { path.note(sent: 2_000_000, received: 1_000_000, queue: 0.2) }
        #expect(!path.flow.isPresent)
    }

    @Test("The path may have got narrow before the flow: no more is sent than arrived from its queue")
    func beginsOnNarrowPath() {
        var path = Path()
        path.fill(rate: 300_000, former: 500_000, whole: 500_000)
        #expect(path.flow.isPresent)
        #expect(path.bitrate < 600_000)
    }

    @Test(
        "It is over when the queue is short, and looked at again after half a minute; soon after that the rate is what it was"
    )
    func ends() {
        var path = Path()
        path.fill()
        #expect(path.note(sent: 2_000_000, queue: 0.02) == nil)
        #expect(!path.flow.isPresent)
        path.fill()
        path.bitrate = 1_000_000
        for _ in 0..<590 { path.note(sent: 1_000_000, queue: 0.2) }
        #expect(path.flow.isPresent)
        for _ in 0..<20 { path.note(sent: 1_000_000, queue: 0.2) }
        #expect(!path.flow.isPresent)
        let former = path.bitrate
        path.fill(rate: 500_000)
        #expect(path.flow.isPresent)
        #expect(path.bitrate >= former)
    }
}

@Suite("Packets that are sent at once") struct BurstRateTests {
    @Test("They arrive as fast as the path takes them, whatever is sent on average")
    func rate() throws {
        var rate = BurstRate()
        for frame in 0..<20 {
            let sent = Double(frame) / 30
            for packet in 0..<6 {
                // 1,200 bytes at 4 Mbit/s.
                rate.note(sent: sent, received: sent + 100 + Double(packet) * 0.0024, bytes: 1_200, isNext: true)
            }
        }
        #expect(abs(try #require(rate.bitrate) - 4_000_000) < 1_000)
    }

    @Test("Few packets, packets one by one, and those beside lost reports say nothing")
    func unknown() {
        for (count, pause, isNext) in [(3, 0.0, true), (6, 0.006, true), (6, 0, false)] {
            var rate = BurstRate()
            for frame in 0..<100 {
                for packet in 0..<count {
                    let sent = Double(frame) / 10 + Double(packet) * pause
                    rate.note(sent: sent, received: sent + Double(packet) * 0.0024, bytes: 1_200, isNext: isNext)
                }
            }
            #expect(rate.bitrate == nil)
        }
    }
}
