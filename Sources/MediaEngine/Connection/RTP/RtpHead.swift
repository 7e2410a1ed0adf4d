/// The fixed header of an RTP packet (RFC 3550 section 5.1).
struct RtpHead {
    let payloadType: Int
    let number: UInt16
    let ssrc: UInt32

    /// Reads the first 12 bytes of a packet; nil for fewer.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 12 else { return nil }
        payloadType = Int(bytes[1] & 0x7f)
        number = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        ssrc = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
}
