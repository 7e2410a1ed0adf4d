/// One m-line of a remote description with its attributes, checked.
struct MediaSection: Sendable, Equatable {
    /// One payload type of the section.
    struct Format: Sendable, Equatable {
        let payloadType: Int
        /// The value of `a=rtpmap`, such as `VP8/90000`.
        var encoding: String
        /// The value of `a=fmtp`, without the payload type.
        var parameters: String?
        /// The profile of H264 (`profile-level-id`) or VP9 (`profile-id`); not passed to webrtcbin.
        var profile: String?
        /// Whether the peer may send two different channels (`sprop-stereo`); not passed to webrtcbin.
        var sendsStereo = false
        /// The payload type whose lost packets this format of retransmissions repeats (RFC 4588 section 8.1); nil for every other format.
        var repairedPayloadType: Int?
        /// The values of `a=rtcp-fb`, without the payload type.
        var feedback: [String] = []

        /// The parameter that holds the profile of an encoding; nil for an encoding without one.
        static func profileName(of encoding: String) -> String? {
            switch encoding.prefix(while: { $0 != "/" }).uppercased() {
            case "H264": "profile-level-id"
            case "VP9": "profile-id"
            default: nil
            }
        }

        fileprivate var namedRepair: String? { repairedPayloadType.map { "apt=\($0)" } }

        fileprivate var namedStereo: String? { sendsStereo ? "sprop-stereo=1" : nil }

        fileprivate var namedProfile: String? {
            guard let profile, let name = Self.profileName(of: encoding) else { return nil }
            return "\(name)=\(profile)"
        }

        /// Whether it accompanies a codec and is none itself: retransmission, forward error correction, DTMF, comfort noise.
        var isAuxiliary: Bool {
            let name = encoding.prefix { $0 != "/" }.lowercased()
            return ["rtx", "red", "ulpfec", "flexfec", "flexfec-03", "telephone-event", "cn"].contains(name)
        }

        /// The clock rate of telephone events, in Hz; nil for everything else.
        var telephoneEventClockRate: Int? {
            let words = encoding.split(separator: "/")
            guard words.count >= 2, words[0].lowercased() == "telephone-event" else { return nil }
            return Int(words[1])
        }

        /// The matching codec of this engine, if any.
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

    /// An SSRC in the section (RFC 5576).
    struct Source: Sendable, Equatable {
        let ssrc: UInt32
        let cname: String
    }

    var track: TrackID
    var mid: String
    var formats: [Format]
    /// The direction from the view of the description's sender.
    ///
    /// `webrtcbin` always gets `sendrecv`, because 1.22 refuses to change the direction later. If the peer does not receive a kind, its send gate
    /// stays closed, and the answer has the direction that the offer allows.
    var direction: MediaDirection
    var iceUfrag: String
    var icePassword: String
    var fingerprint: Fingerprint
    /// The value of `a=setup` (RFC 4145): actpass, active or passive.
    var setup: String
    /// The candidates, also those with a name instead of an address.
    var candidates: [IceCandidate]
    /// Whether the candidates are complete (RFC 8840 section 8.2).
    var hasAllCandidates: Bool
    /// Whether RTCP packets may hold feedback alone (RFC 5506), which are a third as long.
    var takesReducedSizeRtcp = false
    /// The most that the peer accepts, in kbit/s, from `b=TIAS` or `b=AS`.
    var bandwidthKbit: Int?
    /// The packet length that the peer prefers, in ms.
    var ptimeMs: Int?
    /// The section's `a=ssrc` lines.
    var sources: [Source]
    /// The id of the header extension that numbers the packets of all streams (``TransportFeedback``); nil without it.
    var transportSequenceId: Int?
    /// The id of the header extension with the time at which the peer sends a packet (``AbsoluteSendTime``); nil without it.
    var sendTimeId: Int?
    /// The id of the header extension with the level of audio (``AudioLevel``) that the peer takes; nil without it.
    var audioLevelId: Int?
    /// The id of the header extension with the mid (``StreamRoutes``); nil without it.
    var midId: Int?

    var kind: MediaKind { track.kind }

    /// The format that repeats lost packets of a payload type, if there is one.
    func retransmission(of payloadType: Int) -> Int? {
        formats.first { $0.repairedPayloadType == payloadType }?.payloadType
    }

    /// The formats of telephone events (RFC 4733 section 7.1.1) that suit a codec of this clock, best first.
    func telephoneEvents(beside clockRate: Int) -> [TelephoneEvent] {
        TelephoneEvent.clockRates(beside: clockRate).compactMap { rate in
            formats.first { $0.telephoneEventClockRate == rate }.map {
                .init(payloadType: $0.payloadType, clockRate: rate)
            }
        }
    }

    /// Sets the audio codec's clock rate for telephone events: they are timed by it, whatever their own rate.
    mutating func timeTelephoneEvents(by clockRate: Int) {
        for index in formats.indices where formats[index].telephoneEventClockRate != nil {
            formats[index].encoding = TelephoneEvent.rtpmap(clockRate: clockRate)
        }
    }

    /// Sets the codec's clock rate for retransmissions, whatever the peer wrote.
    mutating func timeRetransmissions(by clockRate: Int) {
        for index in formats.indices where formats[index].repairedPayloadType != nil {
            formats[index].encoding = "rtx/\(clockRate)"
        }
    }

    /// The section as SDP text for `webrtcbin`: only checked attributes, in a fixed order.
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
            let named = [format.parameters, format.namedStereo, format.namedProfile, format.namedRepair]
            let parameters = named.compactMap { $0 }.joined(separator: ";")
            if !parameters.isEmpty { lines.append("a=fmtp:\(format.payloadType) \(parameters)") }
        }
        if let ptimeMs { lines.append("a=ptime:\(ptimeMs)") }
        if let transportSequenceId { lines.append("a=extmap:\(transportSequenceId) \(TransportFeedback.extensionURI)") }
        if let sendTimeId { lines.append("a=extmap:\(sendTimeId) \(AbsoluteSendTime.extensionURI)") }
        if let audioLevelId { lines.append("a=extmap:\(audioLevelId) \(AudioLevel.extensionURI)") }
        if let midId { lines.append("a=extmap:\(midId) \(StreamRoutes.extensionURI)") }
        lines += sources.map { "a=ssrc:\($0.ssrc) cname:\($0.cname)" }
        lines += candidates.map { "a=\($0.candidate)" }
        if takesReducedSizeRtcp { lines.append("a=rtcp-rsize") }
        if hasAllCandidates { lines.append("a=end-of-candidates") }
        return lines
    }
}

extension Codec {
    /// Whether this engine can decode a format of this name with these parameters.
    fileprivate func accepts(channels: Substring?, _ parameters: String?, _ profile: String?) -> Bool {
        switch self {
        // RFC 7587 section 7: always two, however many are sent; for any other number webrtcbin would answer `recvonly`.
        case .opus: channels == nil || channels == "2"
        case .g722, .pcmu, .pcma: channels == nil || channels == "1"
        case .vp8, .h265: true
        // Profile 0 has 8 bits and 4:2:0; our encoder makes no other.
        case .vp9: profile == nil || profile == "0"
        // RFC 6184 section 8.1: no packetization-mode means 0. Our depayloader accepts that too, but our payloader sends 1.
        case .h264: parameters?.split(separator: ";").contains("packetization-mode=1") == true
        }
    }
}

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
    /// As in ``MediaSection/candidates``.
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
