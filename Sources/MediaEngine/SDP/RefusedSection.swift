/// An m-line that is not used: a data channel, a second camera, a medium that the peer refused (RFC 3264 section 6: port 0).
///
/// `webrtcbin` never sees it. The answer returns it to the peer, in the same place, with port 0.
struct RefusedSection: Sendable, Equatable {
    /// Its index among all m-lines, from 0.
    let index: Int
    /// Such as `application`.
    let media: String
    /// Such as `UDP/DTLS/SCTP`.
    let transport: String
    /// Such as `webrtc-datachannel`, or payload types.
    let formats: String
    let mid: String?

    /// Its lines in an answer.
    var lines: [String] {
        ["m=\(media) 0 \(transport) \(formats)", "c=IN IP4 0.0.0.0"] + (mid.map { ["a=mid:\($0)"] } ?? [])
            + ["a=inactive"]
    }
}
