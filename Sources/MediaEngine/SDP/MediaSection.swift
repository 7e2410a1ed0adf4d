/// One m-line of a remote description with all that belongs to it, checked.
struct MediaSection: Sendable, Equatable {
    /// One payload type of the section.
    struct Format: Sendable, Equatable {
        let payloadType: Int
        /// As in `a=rtpmap`, such as `VP8/90000`.
        let encoding: String
        /// The value of `a=fmtp`, without the payload type.
        var parameters: String?
        /// The values of `a=rtcp-fb`, without the payload type.
        var feedback: [String] = []

        /// The codec of ours that it is, if any.
        var codec: Codec? {
            let words = encoding.split(separator: "/")
            guard words.count >= 2, let rate = Int(words[1]) else { return nil }
            let channels = words.count > 2 ? words[2] : nil
            return Codec.allCases.first { codec in
                codec.encodingName == words[0].uppercased() && codec.clockRate == rate
                    && codec.accepts(channels: channels, parameters)
            }
        }
    }

    /// One SSRC that the section names (RFC 5576).
    struct Source: Sendable, Equatable {
        let ssrc: UInt32
        let cname: String
    }

    let kind: MediaKind
    var mid: String
    var formats: [Format]
    /// As the sender of the description sees it.
    ///
    /// `webrtcbin` is told `sendrecv` of every m-line, because 1.22 refuses changes of direction later; the send gate of a kind that the peer does
    /// not take stays shut, and the answer says what the offer allows.
    var direction: MediaDirection
    var iceUfrag: String
    var icePassword: String
    var fingerprint: Fingerprint
    /// The value of `a=setup` (RFC 4145): actpass, active or passive.
    var setup: String
    /// Those that name an address.
    var candidates: [IceCandidate]
    /// Whether there will be no more (RFC 8840 section 8.2).
    var hasAllCandidates: Bool
    /// What the section's `a=ssrc` lines say.
    var sources: [Source]

    /// The section as text that `webrtcbin` can take: only attributes that were checked, in a fixed order.
    var lines: [String] {
        let payloads = formats.map { String($0.payloadType) }.joined(separator: " ")
        var lines = [
            "m=\(kind.rawValue) 9 UDP/TLS/RTP/SAVPF \(payloads)", "c=IN IP4 0.0.0.0", "a=mid:\(mid)",
            "a=\(direction.rawValue)", "a=rtcp-mux", "a=ice-ufrag:\(iceUfrag)", "a=ice-pwd:\(icePassword)",
            "a=fingerprint:\(fingerprint)", "a=setup:\(setup)",
        ]
        for format in formats {
            lines.append("a=rtpmap:\(format.payloadType) \(format.encoding)")
            lines += format.feedback.map { "a=rtcp-fb:\(format.payloadType) \($0)" }
            if let parameters = format.parameters { lines.append("a=fmtp:\(format.payloadType) \(parameters)") }
        }
        lines += sources.map { "a=ssrc:\($0.ssrc) cname:\($0.cname)" }
        lines += candidates.map { "a=\($0.candidate)" }
        if hasAllCandidates { lines.append("a=end-of-candidates") }
        return lines
    }
}

extension Codec {
    /// Whether a format of this name with these parameters is one that we can decode.
    fileprivate func accepts(channels: Substring?, _ parameters: String?) -> Bool {
        switch self {
        // RFC 7587 section 7: always two, however many are sent; webrtcbin would answer another number with `recvonly`.
        case .opus: channels == nil || channels == "2"
        case .vp8: true
        // RFC 6184 section 8.1: an absent packetization-mode is 0, which our depayloader takes too, but our payloader sends 1.
        case .h264: parameters?.split(separator: ";").contains("packetization-mode=1") == true
        }
    }
}
