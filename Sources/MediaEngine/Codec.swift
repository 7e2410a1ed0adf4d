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

    /// The codecs of one kind in order of preference; the first that the peer has too is taken.
    public static func preferred(_ kind: MediaKind) -> [Codec] {
        switch kind {
        case .audio: [.opus, .g722, .pcmu, .pcma]
        case .video: [.vp8, .vp9, .h264, .h265]
        }
    }

    /// What it codes.
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

    /// In bit/s, of one that has no choice; nil for the others.
    var fixedBitrate: Int? {
        switch self {
        case .g722, .pcmu, .pcma: 64_000
        case .opus, .vp8, .vp9, .h264, .h265: nil
        }
    }

    /// As in `a=rtpmap`, such as `OPUS/48000/2`.
    var rtpmap: String { "\(encodingName)/\(clockRate)" + (self == .opus ? "/2" : "") }

    /// What its `a=fmtp` says of the profile that we send; nil for a codec without.
    var profileParameters: String? {
        switch self {
        case .h264: Self.h264Parameters(profile: "42e01f")
        case .vp9: "profile-id=0"
        case .vp8, .h265, .opus, .g722, .pcmu, .pcma: nil
        }
    }

    /// RFC 6184 section 8.1; `profile` is that of `profile-level-id`.
    static func h264Parameters(profile: String) -> String {
        "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=\(profile)"
    }

    /// The values of `a=rtcp-fb` of our offers: for pictures the peer may ask for what it lost.
    var feedback: [String] { kind == .video ? ["nack pli", "ccm fir"] : [] }

    /// What a payload type of RFC 3551 stands for when no `a=rtpmap` says it.
    static func encoding(ofStaticPayloadType payloadType: Int) -> String? {
        let codec = [Codec.g722, .pcmu, .pcma].first { $0.payloadType == payloadType }
        return codec.map { "\($0.encodingName)/\($0.clockRate)" }
    }

    /// The names of its pipeline descriptions in the roles encoder and decoder, best first.
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
