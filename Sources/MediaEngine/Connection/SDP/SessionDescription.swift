/// An SDP offer or answer (RFC 9429).
public struct SessionDescription: Sendable, Equatable {
    /// Whether it is an offer or an answer.
    public enum Kind: Sendable { case offer, answer }

    /// Offer or answer.
    public let kind: Kind
    /// The text, lines ended by CRLF.
    public let sdp: String

    /// Makes a description from unchecked text; the peer connection checks it before use.
    public init(kind: Kind, sdp: String) {
        self.kind = kind
        self.sdp = sdp
    }
}
