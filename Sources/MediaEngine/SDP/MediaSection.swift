/// One m-line of a remote description with all that belongs to it, checked.
struct MediaSection: Sendable, Equatable {
    /// One payload type of the section.
    struct Format: Sendable, Equatable {
        let payloadType: Int
        /// As in `a=rtpmap`, such as `VP8/90000`.
        var encoding: String
        /// The value of `a=fmtp`, without the payload type.
        var parameters: String?
        /// The profile that H264 (`profile-level-id`) and VP9 (`profile-id`) name; webrtcbin is not told.
        var profile: String?
        /// Whether what the peer sends may have two channels that differ (`sprop-stereo`); webrtcbin is not told.
        var sendsStereo = false
        /// The values of `a=rtcp-fb`, without the payload type.
        var feedback: [String] = []

        /// The name of the parameter that holds the profile of an encoding; nil for one without.
        static func profileName(of encoding: String) -> String? {
            switch encoding.prefix(while: { $0 != "/" }).uppercased() {
            case "H264": "profile-level-id"
            case "VP9": "profile-id"
            default: nil
            }
        }

        fileprivate var namedStereo: String? { sendsStereo ? "sprop-stereo=1" : nil }

        fileprivate var namedProfile: String? {
            guard let profile, let name = Self.profileName(of: encoding) else { return nil }
            return "\(name)=\(profile)"
        }

        /// Whether it goes beside a codec and is none itself: what repeats or mends its packets, keys, comfort noise.
        var isAuxiliary: Bool {
            let name = encoding.prefix { $0 != "/" }.lowercased()
            return ["rtx", "red", "ulpfec", "flexfec", "flexfec-03", "telephone-event", "cn"].contains(name)
        }

        /// The rate of telephone events, in Hz; nil for everything else.
        var telephoneEventClockRate: Int? {
            let words = encoding.split(separator: "/")
            guard words.count >= 2, words[0].lowercased() == "telephone-event" else { return nil }
            return Int(words[1])
        }

        /// The codec of ours that it is, if any.
        var codec: Codec? {
            let words = encoding.split(separator: "/")
            guard words.count >= 2, let rate = Int(words[1]) else { return nil }
            let channels = words.count > 2 ? words[2] : nil
            return Codec.allCases.first { codec in
                codec.encodingName == words[0].uppercased() && codec.clockRate == rate
                    && codec.accepts(channels: channels, parameters, profile)
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
    /// The most that the peer takes, in kbit/s, by `b=TIAS` or `b=AS`.
    var bandwidthKbit: Int?
    /// The packet length that the peer would like, in ms.
    var ptimeMs: Int?
    /// What the section's `a=ssrc` lines say.
    var sources: [Source]

    /// The formats of telephone events (RFC 4733 section 7.1.1) that suit a codec of this clock, best first.
    func telephoneEvents(beside clockRate: Int) -> [TelephoneEvent] {
        TelephoneEvent.clockRates(beside: clockRate).compactMap { rate in
            formats.first { $0.telephoneEventClockRate == rate }.map {
                .init(payloadType: $0.payloadType, clockRate: rate)
            }
        }
    }

    /// Names the clock of the sound as that of telephone events, which they are timed by whatever their own is.
    mutating func timeTelephoneEvents(by clockRate: Int) {
        for index in formats.indices where formats[index].telephoneEventClockRate != nil {
            formats[index].encoding = TelephoneEvent.rtpmap(clockRate: clockRate)
        }
    }

    /// The section as text that `webrtcbin` can take: only attributes that were checked, in a fixed order.
    var lines: [String] {
        let payloads = formats.map { String($0.payloadType) }.joined(separator: " ")
        var lines = [
            "m=\(kind.rawValue) 9 UDP/TLS/RTP/SAVPF \(payloads)", "c=IN IP4 0.0.0.0",
        ]
        if let bandwidthKbit { lines.append("b=TIAS:\(bandwidthKbit * 1_000)") }
        lines += [
            "a=mid:\(mid)", "a=\(direction.rawValue)", "a=rtcp-mux", "a=ice-ufrag:\(iceUfrag)",
            "a=ice-pwd:\(icePassword)",
            "a=fingerprint:\(fingerprint)", "a=setup:\(setup)",
        ]
        for format in formats {
            lines.append("a=rtpmap:\(format.payloadType) \(format.encoding)")
            lines += format.feedback.map { "a=rtcp-fb:\(format.payloadType) \($0)" }
            let parameters = [format.parameters, format.namedStereo, format.namedProfile].compactMap { $0 }.joined(
                separator: ";")
            if !parameters.isEmpty { lines.append("a=fmtp:\(format.payloadType) \(parameters)") }
        }
        if let ptimeMs { lines.append("a=ptime:\(ptimeMs)") }
        lines += sources.map { "a=ssrc:\($0.ssrc) cname:\($0.cname)" }
        lines += candidates.map { "a=\($0.candidate)" }
        if hasAllCandidates { lines.append("a=end-of-candidates") }
        return lines
    }
}

extension Codec {
    /// Whether a format of this name with these parameters is one that we can decode.
    fileprivate func accepts(channels: Substring?, _ parameters: String?, _ profile: String?) -> Bool {
        switch self {
        // RFC 7587 section 7: always two, however many are sent; webrtcbin would answer another number with `recvonly`.
        case .opus: channels == nil || channels == "2"
        case .g722, .pcmu, .pcma: channels == nil || channels == "1"
        case .vp8, .h265: true
        // Profile 0 has 8 bits and 4:2:0, the only one that our encoder makes.
        case .vp9: profile == nil || profile == "0"
        // RFC 6184 section 8.1: an absent packetization-mode is 0, which our depayloader takes too, but our payloader sends 1.
        case .h264: parameters?.split(separator: ";").contains("packetization-mode=1") == true
        }
    }
}
