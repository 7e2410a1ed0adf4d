import Testing

@testable import MediaEngine

@Suite("The bound of SRTP streams") struct SrtpStreamsTests {
    private let streams = UnboundedSrtpStreams(start: ClockReading(nanoseconds: 0))

    private func admits(_ bytes: [UInt8], at seconds: Int64 = 0) -> Bool {
        bytes.withUnsafeBytes { streams.admits($0, at: ClockReading(nanoseconds: seconds * 1_000_000_000)) }
    }

    private func rtp(_ ssrc: Int) -> [UInt8] {
        [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, UInt8(ssrc >> 8), UInt8(ssrc & 255)]
    }

    private func rtcp(_ ssrc: Int) -> [UInt8] {
        [0x80, 201, 0, 1, 0, 0, UInt8(ssrc >> 8), UInt8(ssrc & 255), 0, 0, 0, 0]
    }

    @Test("So many streams pass, each for the whole call; then one more each second")
    func bound() {
        for ssrc in 0..<64 { #expect(admits(ssrc % 2 == 0 ? rtp(ssrc) : rtcp(ssrc))) }
        for ssrc in 64..<2_000 { #expect(!admits(rtp(ssrc)) && !admits(rtcp(ssrc))) }
        #expect(admits(rtp(63)) && admits(rtcp(0)))
        #expect(admits(rtp(2_000), at: 1) && !admits(rtp(2_001), at: 1) && admits(rtp(2_001), at: 2))
    }

    @Test("STUN, DTLS and packets without an SSRC pass")
    func others() {
        for ssrc in 0..<64 { #expect(admits(rtp(ssrc))) }
        let others: [[UInt8]] = [[], [0x80], [0x80, 96, 0, 1, 0, 0, 0, 0, 1, 2, 3]]
        for bytes in others + [[UInt8](repeating: 0, count: 20), [22] + [UInt8](repeating: 7, count: 20)] {
            #expect(admits(bytes))
        }
    }
}
