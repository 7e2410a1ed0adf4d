/// The m-line of data channels (RFC 8841), checked.
struct DataSection: Sendable, Equatable {
    /// Its index among all m-lines, from 0.
    ///
    /// `webrtcbin` always puts it last.
    let index: Int
    let mid: String
    var iceUfrag: String
    var icePassword: String
    var fingerprint: Fingerprint
    var setup: String
    var candidates: [IceCandidate]
    /// The longest message that the peer accepts, in bytes; 65536 when it does not say.
    let maxMessageSize: Int

    /// The only SCTP port that `webrtcbin` 1.22 supports, at both ends.
    static let port = "5000"

    /// The section as SDP text for `webrtcbin`.
    var lines: [String] {
        [
            "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:\(mid)",
            "a=ice-ufrag:\(iceUfrag)", "a=ice-pwd:\(icePassword)", "a=fingerprint:\(fingerprint)", "a=setup:\(setup)",
            "a=sctp-port:\(Self.port)", "a=max-message-size:\(maxMessageSize)",
        ] + candidates.map { "a=\($0.candidate)" }
    }
}
