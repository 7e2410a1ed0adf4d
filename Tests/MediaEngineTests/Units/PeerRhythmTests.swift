import Testing

@testable import MediaEngine

/// When the silence of a peer counts as an interruption.
struct PeerRhythmTests {
    private let start = ClockReading.now
    private let limit = Duration.seconds(2)

    /// Packets at these times in ms.
    private func rhythm(_ packets: [(PeerRhythm.Packet, Int)]) -> PeerRhythm {
        var rhythm = PeerRhythm()
        for (packet, milliseconds) in packets.sorted(by: { $0.1 < $1.1 }) {
            rhythm.note(packet, at: start + .milliseconds(milliseconds))
        }
        return rhythm
    }

    private func media(_ range: Range<Int>) -> [(PeerRhythm.Packet, Int)] {
        stride(from: range.lowerBound, to: range.upperBound, by: 20).map { (.media, $0) }
    }

    @Test("A peer whose media stops is silent after the limit, however rare its reports are")
    func mediaStops() {
        let rhythm = rhythm(media(0..<12_000) + [(.report, 2_000), (.report, 7_000)])
        #expect(rhythm.patience(limit) == limit)
        #expect(rhythm.endOfPatience(limit) == start + .milliseconds(13_980))
    }

    @Test("A peer that sends only reports is silent after three times their longest interval")
    func reportsAlone() {
        let rhythm = rhythm([(.other, 0), (.report, 2_500), (.report, 7_600), (.report, 11_900)])
        #expect(rhythm.patience(limit) == .milliseconds(15_300))
        #expect(rhythm.endOfPatience(limit) == start + .milliseconds(27_200))
    }

    @Test("Reports of our own ends do not change the limit, and feedback is no report")
    func ownEnds() {
        let reports = stride(from: 0, to: 5_000, by: 600).map { (PeerRhythm.Packet.report, $0) }
        #expect(rhythm(reports).patience(limit) == limit)
        let feedback = stride(from: 0, to: 9_000, by: 100).map { (PeerRhythm.Packet.other, $0) }
        #expect(rhythm(feedback + [(.report, 1), (.report, 3_001), (.report, 8_001)]).patience(limit) == .seconds(15))
    }

    @Test("Before three reports, one may take as long as RFC 3550 allows, and every wait is bounded")
    func bounds() {
        #expect(rhythm([(.other, 0)]).patience(limit) == .milliseconds(7_500))
        #expect(rhythm([(.report, 0), (.report, 60_000)]).patience(limit) == .milliseconds(7_500))
        #expect(rhythm([(.report, 0), (.report, 60_000), (.report, 61_000)]).patience(limit) == .seconds(20))
        // Reports about several streams come together.
        let burst = [(.report, 0), (.report, 1), (.report, 2), (.report, 3)] as [(PeerRhythm.Packet, Int)]
        #expect(rhythm(burst).patience(limit) == .milliseconds(7_500))
        #expect(PeerRhythm().patience(limit) == limit && PeerRhythm().endOfPatience(limit) == nil)
    }

    @Test("Reports during a pause of the media extend the limit, until media arrives again")
    func afterMedia() {
        let pause = media(0..<4_000) + [(.report, 1_000), (.report, 6_000), (.report, 11_000)]
        #expect(rhythm(pause).patience(limit) == .seconds(15))
        #expect(rhythm(pause + media(12_000..<12_100)).patience(limit) == limit)
    }

    @Test("Regular media is missed early, and irregular media as late as all others")
    func path() {
        let limit = Duration.seconds(1)
        #expect(rhythm(media(0..<1_800)).pathPatience(limit) == limit, "too little is known")
        #expect(rhythm(media(0..<8_000)).pathPatience(limit) == PeerRhythm.shortestPathPatience)
        let stalled = media(0..<8_000) + media(8_150..<20_000)
        #expect(rhythm(stalled).pathPatience(limit) == .milliseconds(680))
        #expect(rhythm(stalled + media(20_400..<30_000)).pathPatience(limit) == limit)
        #expect(rhythm(stalled + media(20_000..<60_000)).pathPatience(limit) == PeerRhythm.shortestPathPatience)
        #expect(rhythm(stalled).patience(.seconds(2)) == .seconds(2), "an interruption is another matter")
        // Only reports while it is held.
        let held = media(0..<8_000) + [(.report, 8_500), (.report, 9_000), (.report, 9_500), (.report, 10_000)]
        #expect(rhythm(held).pathPatience(limit) == .milliseconds(1_500))
    }

    @Test("Packets are classified by their first bytes")
    func kinds() {
        for (bytes, expected) in [
            ([0x80, 111], PeerRhythm.Packet.media), ([0x80, 0xef], .media), ([0x80, 200], .report),
            ([0x81, 201], .report),
            ([0x81, 205], .other), ([0x81, 206], .other), ([22, 254], .other), ([0x80], .other), ([], .other),
        ] as [([UInt8], PeerRhythm.Packet)] {
            #expect(bytes.withUnsafeBytes { PeerRhythm.Packet($0) } == expected, "\(bytes)")
        }
    }
}
