/// A codec that the engine can send and receive over RTP.
public enum Codec: String, Sendable, Hashable, CaseIterable {
    case opus
    case vp8
    case h264

    /// The codecs of one kind in order of preference; the first that the peer has too is taken.
    public static func preferred(_ kind: MediaKind) -> [Codec] {
        switch kind {
        case .audio: [.opus]
        case .video: [.vp8, .h264]
        }
    }

    /// What it codes.
    public var kind: MediaKind { self == .opus ? .audio : .video }

    /// Its name in `a=rtpmap` (RFC 8866), such as `VP8`.
    public var encodingName: String { rawValue.uppercased() }

    /// The RTP clock rate in Hz.
    var clockRate: Int { kind == .audio ? 48_000 : 90_000 }

    /// The payload type that our offers give it.
    var payloadType: Int {
        switch self {
        case .opus: 111
        case .vp8: 96
        case .h264: 102
        }
    }

    /// The name of its pipeline description in the roles encoder and decoder.
    var descriptionName: String { rawValue }

    /// The fields of its caps in `webrtcbin` beside media, encoding-name, clock-rate and payload.
    ///
    /// For H264 one packet may hold a part of a frame (mode 1 of RFC 6184); for video the peer may ask for what it lost.
    var extraCaps: String {
        switch self {
        case .opus: "encoding-params=(string)2"
        case .vp8: "rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true"
        case .h264: "packetization-mode=(string)1,rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true"
        }
    }
}
