/// How a data channel delivers (RFC 8831, RFC 8832).
public struct DataChannelOptions: Sendable, Equatable {
    /// Whether messages arrive in the order in which they were sent.
    public var isOrdered = true
    /// How often a lost message is repeated, 0 to 65535; nil repeats until it arrives.
    ///
    /// GStreamer 1.22 passes on 0 rightly, and gives up later than asked for anything else.
    public var maxRetransmits: Int?
    /// For how long a lost message is repeated, in ms, 0 to 65535; not together with ``maxRetransmits``.
    public var maxPacketLifetimeMs: Int?
    /// A name for what is spoken on the channel, for the peer's application; at most 256 bytes.
    public var protocolName = ""

    /// Ordered and reliable.
    public init() {}
}

extension DataChannelOptions {
    var isValid: Bool {
        let limits = [maxRetransmits, maxPacketLifetimeMs].compactMap { $0 }
        return limits.count < 2 && limits.allSatisfy { (0...65_535).contains($0) } && Self.isText(protocolName)
    }

    /// Names are bounded, and U+0000 would end them early.
    static func isText(_ text: String) -> Bool { text.utf8.count <= 256 && !text.utf8.contains(0) }
}
