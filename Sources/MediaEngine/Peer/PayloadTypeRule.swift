/// The payload type that this end's offers are to give to a format.
///
/// What had it before gets the other's number in return, and `apt` of retransmissions follows. An answer uses the offer's numbers, whatever they are.
public struct PayloadTypeRule: Sendable, Equatable {
    /// The format as `a=rtpmap` names it, such as `VP8/90000`; capitals do not matter, and one channel need not be named.
    public var rtpmap: String
    /// Parameters that `a=fmtp` has to hold as well, such as `packetization-mode=1`; nil takes any.
    public var fmtp: String?
    /// 96 to 127, the dynamic ones (RFC 3551 section 6).
    public var payloadType: Int

    /// What ``payloadType`` may be.
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
