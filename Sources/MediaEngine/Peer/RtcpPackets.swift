/// The packets of a compound RTCP packet, in order (RFC 3550 section 6.1); ends before the first one that is cut off.
struct RtcpPackets: Sequence, IteratorProtocol {
    struct Packet {
        /// The second byte: 200 is a sender report.
        let type: UInt8
        /// The lower five bits of the first byte: the number of report blocks, or the format of feedback.
        let count: Int
        /// Its place in the compound packet, with its header.
        let range: Range<Int>
    }

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> Packet? {
        guard place + 4 <= bytes.count else { return nil }
        let words = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))
        let range = place..<place + 4 * (Int(words) + 1)
        guard range.upperBound <= bytes.count else { return nil }
        defer { place = range.upperBound }
        return Packet(type: bytes[place + 1], count: Int(bytes[place] & 0x1f), range: range)
    }
}
