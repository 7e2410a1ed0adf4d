import Testing

@testable import MediaEngine

@Suite("The pace of packets") struct PacketPaceTests {
    @Test("Twice what the path takes; less when its queue is short, and no more while it is full")
    func queue() {
        var pace = PacketPace()
        #expect(pace.multiple == 2 && pace.silenceShare == 1)
        pace.hasShortQueue = true
        #expect(pace.multiple == 1.25)
        pace.isCongested = true
        #expect(pace.multiple == 1)
    }

    @Test("A silence lowers it like the rate; after that a key frame gets half of what the path took before")
    func silence() {
        func share(_ factor: Double, isSilent: Bool) -> Double {
            PacketPace(silence: .init(factor: factor, isSilent: isSilent)).silenceShare
        }
        #expect(share(0.05, isSilent: true) == 0.05)
        #expect(share(0.05, isSilent: false) == 0.5)
        #expect(share(0.75, isSilent: false) == 0.75)
    }
}
