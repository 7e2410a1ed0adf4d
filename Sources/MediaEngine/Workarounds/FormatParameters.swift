/// A format parameter that differs from our payloader's own makes `webrtcbin` answer `recvonly`.
///
/// It compares the parameters of a remote format as if they were part of the codec's name. This affects a `sprop-stereo` that describes what the peer
/// sends (upstream https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/5999, 1.22.10 and 1.24; 1.26 again compares it when it looks
/// for the transceiver of an offer's m-line), the `profile-level-id` of an H264 that we can decode anyway, and GStreamer's own names such as `ssrc`
/// or `rtcp-fb-nack-pli`. So a remote description reaches `webrtcbin` only with parameters that matter to a sender and that our payloaders do not set
/// themselves.
enum FormatParameters: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// RFC 7587 section 6.1 for Opus, RFC 6184 section 8.1 for H264.
    private static let kept: Set<Substring> = [
        "minptime", "useinbandfec", "stereo", "maxplaybackrate", "maxaveragebitrate", "usedtx", "cbr",
        "packetization-mode",
        "level-asymmetry-allowed",
    ]

    static func isKept(_ parameter: Substring) -> Bool { kept.contains(parameter.prefix { $0 != "=" }) }
}
