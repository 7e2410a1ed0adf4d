/// The most that a receiver takes of streams, as it says itself (REMB, draft-alvestrand-rmcat-remb-03).
///
/// Media servers limit by it what each participant publishes. Receivers without ``TransportFeedback`` report by it what the path takes.
struct ReceiverEstimate: Sendable, Equatable {
    /// The value of `a=rtcp-fb`.
    static let name = "goog-remb"
    /// In bit/s, at most ``highest``.
    let bitrate: Double
    /// The streams that it is about, by SSRC; none: all.
    let sources: [UInt32]

    /// What no path takes, in bit/s: the format can express far more.
    private static let highest = 1e10

    init(bitrate: Double, sources: [UInt32]) { (self.bitrate, self.sources) = (bitrate, sources) }

    /// Reads a packet of a compound packet; nil for one of another kind, and for one that is too short.
    init?(_ packet: RtcpPackets.Packet, in bytes: UnsafeRawBufferPointer) {
        let fields = UnsafeRawBufferPointer(rebasing: bytes[packet.range])
        // Feedback on a payload, of the application layer (RFC 4585 section 6.4).
        guard packet.type == 206, packet.count == 15, fields.count >= 20, fields[12..<16].elementsEqual("REMB".utf8)
        else { return nil }
        let word = { UInt32(bigEndian: fields.loadUnaligned(fromByteOffset: $0, as: UInt32.self)) }
        let (count, exponent, mantissa) = (Int(fields[16]), Int(fields[17] >> 2), word(16) & 0x3_ffff)
        guard fields.count >= 20 + 4 * count else { return nil }
        bitrate = min(Double(sign: .plus, exponent: exponent, significand: Double(mantissa)), Self.highest)
        sources = (0..<count).map { word(20 + 4 * $0) }
    }

    /// As a packet that the stream `sender` sends.
    func bytes(from sender: UInt32) -> [UInt8] {
        let value = UInt64(max(0, min(bitrate, Self.highest)))
        // The mantissa has 18 bits.
        let exponent = max(0, 64 - value.leadingZeroBitCount - 18)
        let rate = UInt32(sources.count) << 24 | UInt32(exponent) << 18 | UInt32(value >> exponent)
        let name = "REMB".utf8.reduce(0) { $0 << 8 | UInt32($1) }
        let words = [UInt32(0x8f << 8 | 206) << 16 | UInt32(4 + sources.count), sender, 0, name, rate] + sources
        return words.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// Whether it is about this stream.
    func concerns(_ ssrc: UInt32) -> Bool { sources.isEmpty || sources.contains(ssrc) }
}
