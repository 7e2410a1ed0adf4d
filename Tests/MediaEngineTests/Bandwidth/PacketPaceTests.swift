import Testing

@testable import MediaEngine

@Suite("The pace of packets") struct PacketPaceTests {
    private let path = PacketPace(estimate: 1_000_000, unsilenced: 800_000)

    @Test("Twice what the path takes; less when its queue is short, and no more while it is full")
    func queue() {
        var path = path
        #expect(path.bitrate == 2_000_000)
        path.hasShortQueue = true
        #expect(path.bitrate == 1_250_000)
        path.isCongested = true
        #expect(path.bitrate == 1_000_000)
    }

    @Test("What the peer takes limits it")
    func receiver() {
        var path = path
        path.receiverLimit = 300_000
        #expect(path.bitrate == 600_000)
        path.estimate = nil
        #expect(path.bitrate == 600_000)
    }

    @Test("A silence lowers it like the rate; after that a key frame gets half of what the path took before")
    func silence() {
        var path = path
        (path.silenceFactor, path.isSilent, path.isCongested) = (0.05, true, true)
        #expect(abs(path.bitrate - 40_000) < 1)
        (path.isSilent, path.isCongested) = (false, false)
        #expect(path.bitrate == 800_000)
        path.silenceFactor = 0.75
        #expect(path.bitrate == 1_200_000)
    }
}
