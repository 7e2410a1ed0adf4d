/// The delivery options of a data channel (RFC 8831, RFC 8832).
public struct DataChannelOptions: Sendable, Equatable {
    /// Whether messages arrive in the order in which they were sent.
    public var isOrdered = true
    /// How often a lost message is retransmitted, 0 to 65535; nil means until it arrives.
    ///
    /// GStreamer 1.22 honours 0; with any other number it gives up later than requested.
    public var maxRetransmits: Int?
    /// For how long a lost message is retransmitted, in ms, 0 to 65535; not together with ``maxRetransmits``.
    public var maxPacketLifetimeMs: Int?
    /// The subprotocol of the channel, for the peer's application; at most 256 bytes.
    public var protocolName = ""

    /// Ordered and reliable.
    public init() {}
}

extension DataChannelOptions {
    var isValid: Bool {
        let limits = [maxRetransmits, maxPacketLifetimeMs].compactMap { $0 }
        return limits.count < 2 && limits.allSatisfy { (0...65_535).contains($0) } && Self.isText(protocolName)
    }

    /// Names have a maximum length, and U+0000 would end them early.
    static func isText(_ text: String) -> Bool { text.utf8.count <= 256 && !text.utf8.contains(0) }
}
