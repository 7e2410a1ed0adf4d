/// A rule that gives a payload type to a format in this end's offers.
///
/// The format that had this number gets the other's number instead, and `apt` of retransmissions follows. An answer always uses the
/// offer's numbers.
public struct PayloadTypeRule: Sendable, Equatable {
    /// The format as in `a=rtpmap`, such as `VP8/90000`; case does not matter, and `/1` for one channel may be omitted.
    public var rtpmap: String
    /// Parameters that `a=fmtp` must contain as well, such as `packetization-mode=1`; nil matches any.
    public var fmtp: String?
    /// 96 to 127, the dynamic ones (RFC 3551 section 6).
    public var payloadType: Int

    /// The valid range of ``payloadType``.
    public static let payloadTypes = 96...127

    /// Makes a rule; it is checked when the offer is made.
    public init(rtpmap: String, fmtp: String? = nil, payloadType: Int) {
        self.rtpmap = rtpmap
        self.fmtp = fmtp
        self.payloadType = payloadType
    }

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a payload type out of range.
    public func check() throws(MediaError) {
        guard Self.payloadTypes.contains(payloadType) else {
            throw .unknownChoice(kind: "payload type for \(rtpmap)", value: "\(payloadType)", known: ["96 to 127"])
        }
    }
}
