import Testing

@testable import MediaEngine

@Suite("The bound of reports on numbered packets") struct PacketNumbersTests {
    private let start = ClockReading.now

    /// An RTP packet with another element in front of the number, which has the id 3.
    private func packet(_ number: Int, id: UInt8 = 3) -> [UInt8] {
        [0x90, 96] + [UInt8](repeating: 0, count: 10) + [0xbe, 0xde, 0, 2, 0x50, 0, 0, id << 4 | 1]
            + [UInt8(number >> 8), UInt8(number & 0xff), 0, 0, 1, 2, 3]
    }

    private func excess(_ limit: UnboundedPacketNumbers, _ bytes: [UInt8], ms: Int) -> Range<Int>? {
        bytes.withUnsafeBytes { limit.excess(in: $0, at: start + .milliseconds(ms)) }
    }

    @Test("Numbers are reported once, and not too many at a time; what is more loses its number")
    func bounds() {
        let limit = UnboundedPacketNumbers()
        limit.setId(3)
        let passed = (0..<200).filter { excess(limit, packet($0 * 3), ms: 60) == nil }
        #expect(passed == Array(0..<UnboundedPacketNumbers.maximum))
        #expect(excess(limit, packet(300), ms: 100) == 19..<22, "the element with the number")
        #expect(excess(limit, packet(300), ms: 115) == nil, "the next window")
        #expect(excess(limit, packet(300), ms: 116) != nil)
        #expect(excess(limit, packet(0), ms: 117) != nil, "reported in the window before")
        #expect(excess(limit, packet(0), ms: 400) == nil)
    }

    @Test("Numbers of three windows are close together, also where they begin anew")
    func span() {
        let limit = UnboundedPacketNumbers()
        limit.setId(3)
        #expect(excess(limit, packet(65_400), ms: 0) == nil)
        #expect(excess(limit, packet(364), ms: 1) == nil && excess(limit, packet(365), ms: 1) != nil)
        #expect(excess(limit, packet(65_399), ms: 2) != nil && excess(limit, packet(30_000), ms: 3) != nil)
        #expect(excess(limit, packet(865), ms: 60) != nil, "too far from the first one")
        #expect(excess(limit, packet(200), ms: 110) == nil)
        // The first window is over, the second was empty.
        #expect(excess(limit, packet(700), ms: 170) == nil && excess(limit, packet(701), ms: 170) != nil)
        #expect(excess(limit, packet(30_000), ms: 400) == nil)
    }

    @Test("Packets without the number, and damaged ones, pass as they are")
    func others() {
        let limit = UnboundedPacketNumbers()
        #expect(excess(limit, packet(1), ms: 0) == nil)
        limit.setId(3)
        #expect((0..<200).allSatisfy { excess(limit, packet($0, id: 4), ms: 0) == nil })
        let whole = packet(1)
        for length in 0..<22 { #expect(excess(limit, Array(whole.prefix(length)), ms: 0) == nil) }
        var wild = whole
        wild[14...15] = [0xff, 0xff]
        #expect(excess(limit, wild, ms: 0) == nil)
        wild[0] = 0x9f
        #expect(excess(limit, wild, ms: 0) == nil)
    }
}
