import Testing

@testable import MediaEngine

@Suite("Senders that share a link") struct SharedLinkTests {
    @Test(
        "All want more than their share: they come to equal shares of the whole link, and no queue stays",
        arguments: [(2, 1, 1), (6, 2, 1), (50, 20, 1), (3, 10, 8)] as [(Int, Double, Double)], [1, 2] as [UInt64])
    func shares(_ link: (senders: Int, megabits: Double, wanted: Double), seed: UInt64) {
        var path = SharedLink(rate: link.megabits * 1_000_000, wanted: link.wanted * 1_000_000, seed: seed)
        // Who comes later finds a full link, and does not know what its delay is without a queue.
        for _ in 0..<link.senders {
            path.join()
            path.run(seconds: 0.3)
        }
        path.run(seconds: 75)
        path.clear()
        path.run(seconds: 15)
        #expect(path.fairness > 0.85)
        #expect(path.use > 0.9)
        #expect(path.longestWait < 0.2)
    }

    @Test("A link that takes everything limits nobody")
    func wide() {
        var path = SharedLink(rate: 6_500_000, wanted: 1_000_000)
        for _ in 0..<6 { path.join() }
        path.run(seconds: 10)
        path.clear()
        path.run(seconds: 10)
        #expect(path.arrived.allSatisfy { Double($0) * 8 / 10 > 990_000 })
    }
}
