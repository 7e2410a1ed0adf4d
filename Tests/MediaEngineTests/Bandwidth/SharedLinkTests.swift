import Testing

@testable import MediaEngine

@Suite("Senders that share a link") struct SharedLinkTests {
    typealias Crowd = (senders: Int, megabits: Double, wanted: Double, pause: Double)

    /// A link whose senders came one after the other; what is measured are the last 15 s of a minute and a half.
    private func crowd(_ link: Crowd, seed: UInt64, hasProbes: Bool = false) -> SharedLink {
        var path = SharedLink(rate: link.megabits * 1_000_000, wanted: link.wanted * 1_000_000, seed: seed)
        path.hasProbes = hasProbes
        // Who comes later finds a full link, and does not know what its delay is without a queue.
        for _ in 0..<link.senders {
            path.join()
            path.run(seconds: link.pause)
        }
        path.run(seconds: 75)
        path.clear()
        path.run(seconds: 15)
        return path
    }

    @Test(
        "All want more than their share: they come to equal shares of the whole link, and no queue stays",
        arguments: [(2, 1, 1, 0.3), (6, 2, 1, 0.3), (50, 20, 1, 0.3), (50, 20, 1, 0.2), (3, 10, 8, 0.3)]
            as [(Int, Double, Double, Double)], [1, 2] as [UInt64])
    func shares(_ link: Crowd, seed: UInt64) {
        let path = crowd(link, seed: seed)
        #expect(path.fairness > 0.85)
        #expect(path.use > 0.9)
        #expect(path.longestWait < 0.2)
    }

    @Test(
        "Probes neither fill the queue of a shared link nor favor those who send them",
        arguments: [(2, 1, 1, 0.3), (6, 2, 1, 0.3), (50, 20, 1, 0.3), (20, 8, 1, 1)] as [(Int, Double, Double, Double)],
        [1, 2] as [UInt64])
    func probes(_ link: Crowd, seed: UInt64) {
        let path = crowd(link, seed: seed, hasProbes: true)
        #expect(path.fairness > 0.85)
        #expect(path.use > 0.9)
        #expect(path.longestWait < 0.15)
    }

    @Test(
        "Beside a TCP flow that fills the queue calls keep a share, and leave the flow its own; no queue stays afterwards",
        arguments: [(2, 0.1, 1), (2, 0.3, 1), (4, 0.1, 1), (4, 0.3, 1), (4, 1, 1), (4, 0.3, 2)]
            as [(Double, Double, Int)],
        [1, 2] as [UInt64])
    func bulk(_ link: (megabits: Double, longestQueue: Double, senders: Int), seed: UInt64) {
        var path = SharedLink(rate: link.megabits * 1_000_000, wanted: 4_000_000, seed: seed)
        path.longestQueue = link.longestQueue
        for _ in 0..<link.senders { path.join() }
        path.run(seconds: 20)
        path.bulk = BulkFlow()
        path.run(seconds: 10)
        path.clear()
        path.run(seconds: 25)
        #expect(path.use > 0.22)
        #expect(path.bulkUse > 0.35)
        path.bulk = nil
        path.run(seconds: 15)
        path.clear()
        path.run(seconds: 5)
        #expect(path.use > 0.5)
        #expect(path.longestWait < 0.2)
    }

    @Test(
        "A narrow link stays mostly the TCP flow's, whatever a call would send",
        arguments: [(0.5, 0.1), (0.5, 0.3), (1, 0.1)] as [(Double, Double)], [1, 2] as [UInt64])
    func bulkOnNarrowLink(_ link: (megabits: Double, longestQueue: Double), seed: UInt64) {
        var path = SharedLink(rate: link.megabits * 1_000_000, wanted: 4_000_000, seed: seed)
        path.longestQueue = link.longestQueue
        path.join()
        path.run(seconds: 20)
        path.bulk = BulkFlow()
        path.run(seconds: 10)
        path.clear()
        path.run(seconds: 25)
        #expect(path.bulkUse > 0.5)
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
