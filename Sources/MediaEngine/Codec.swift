/// A codec that the engine can send and receive over RTP.
public enum Codec: String, Sendable, Hashable, CaseIterable {
    case opus
    case g722
    case pcmu
    case pcma
    case vp8
    case vp9
    case h264
    case h265

    /// The codecs of one kind in order of preference; the engine takes the first that the peer has too.
    public static func preferred(_ kind: MediaKind) -> [Codec] {
        switch kind {
        case .audio: [.opus, .g722, .pcmu, .pcma]
        case .video: [.vp8, .vp9, .h264, .h265]
        }
    }

    /// Whether it codes audio or video.
    public var kind: MediaKind {
        switch self {
        case .opus, .g722, .pcmu, .pcma: .audio
        case .vp8, .vp9, .h264, .h265: .video
        }
    }

    /// Its name in `a=rtpmap` (RFC 8866), such as `VP8`.
    public var encodingName: String { rawValue.uppercased() }

    /// The RTP clock rate in Hz; that of G722 is half its sampling rate by mistake (RFC 3551 section 4.5.2).
    var clockRate: Int {
        switch self {
        case .opus: 48_000
        case .g722, .pcmu, .pcma: 8_000
        case .vp8, .vp9, .h264, .h265: 90_000
        }
    }

    /// The payload type that our offers give it; those of G.711 and G722 are fixed (RFC 3551 section 6).
    var payloadType: Int {
        switch self {
        case .opus: 111
        case .g722: 9
        case .pcmu: 0
        case .pcma: 8
        case .vp8: 96
        case .vp9: 98
        case .h264: 102
        case .h265: 104
        }
    }

    /// The payload type of its retransmissions (RFC 4588) in our offers; nil for audio, which conceals what is lost.
    var retransmissionPayloadType: Int? { kind == .video ? payloadType + 1 : nil }

    /// The bitrate in bit/s of a codec with a fixed one; nil for the others.
    var fixedBitrate: Int? {
        switch self {
        case .g722, .pcmu, .pcma: 64_000
        case .opus, .vp8, .vp9, .h264, .h265: nil
        }
    }

    /// Its value in `a=rtpmap`, such as `OPUS/48000/2`.
    var rtpmap: String { "\(encodingName)/\(clockRate)" + (self == .opus ? "/2" : "") }

    /// The profile that its `a=fmtp` names for what we send; nil for a codec without profiles.
    var profileParameters: String? {
        switch self {
        case .h264: Self.h264Parameters(profile: "42e01f")
        case .vp9: "profile-id=0"
        case .vp8, .h265, .opus, .g722, .pcmu, .pcma: nil
        }
    }

    /// Its `a=fmtp` in our offers.
    func formatParameters(_ opus: OpusParameters) -> String? {
        self == .opus ? opus.formatParameters : profileParameters
    }

    /// RFC 6184 section 8.1; `profile` is that of `profile-level-id`.
    static func h264Parameters(profile: String) -> String {
        "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=\(profile)"
    }

    /// The values of `a=rtcp-fb` in our offers: for video the peer may ask for what it lost.
    var feedback: [String] { kind == .video ? ["nack", "nack pli", "ccm fir"] : [] }

    /// The encoding of a static payload type (RFC 3551) that has no `a=rtpmap`.
    static func encoding(ofStaticPayloadType payloadType: Int) -> String? {
        let codec = [Codec.g722, .pcmu, .pcma].first { $0.payloadType == payloadType }
        return codec.map { "\($0.encodingName)/\($0.clockRate)" }
    }

    /// The names of its pipeline descriptions for the roles encoder and decoder, best first.
    var descriptionNames: [String] { self == .h264 ? ["h264", "openh264"] : [rawValue] }

    /// The fields of its caps in `webrtcbin` beside media, encoding-name, clock-rate and payload.
    ///
    /// For H264 one packet may hold a part of a frame (mode 1 of RFC 6184); for video the peer may ask for what it lost.
    var extraCaps: String {
        switch self {
        case .opus: ",encoding-params=(string)2"
        case .g722, .pcmu, .pcma: ""
        case .vp8, .vp9, .h265: ",rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true"
        case .h264: ",packetization-mode=(string)1,rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true"
        }
    }
}
