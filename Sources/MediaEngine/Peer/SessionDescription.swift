/// An SDP offer or answer (RFC 9429).
public struct SessionDescription: Sendable, Equatable {
    /// Which of the two.
    public enum Kind: Sendable { case offer, answer }

    /// Offer or answer.
    public let kind: Kind
    /// The text, lines ended by CRLF.
    public let sdp: String

    /// Makes a description of text that is not checked yet; the peer connection does that before use.
    public init(kind: Kind, sdp: String) {
        self.kind = kind
        self.sdp = sdp
    }
}
