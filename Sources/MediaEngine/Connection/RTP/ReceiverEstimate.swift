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

    /// Whether it is about this stream.
    func concerns(_ ssrc: UInt32) -> Bool { sources.isEmpty || sources.contains(ssrc) }
}
