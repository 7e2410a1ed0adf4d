/// What the peer reports about one packet that this end sent (``TransportFeedback``).
struct PacketReport: Sendable, Equatable {
    /// Its number among the packets of all streams.
    var number: UInt16
    /// When it was sent, in s of this end's clock.
    var sent: Double
    /// When it arrived, in s of the peer's clock, which counts from an unknown moment; nil: it was lost.
    var received: Double?
    /// Its size on the network, in bytes.
    var bytes: Int

    /// What a packet has beside its payload, in bytes: the headers of IPv4, UDP and RTP, the extension with its number, the tag of SRTP.
    static let overhead = 20 + 8 + 12 + 8 + 10
}
