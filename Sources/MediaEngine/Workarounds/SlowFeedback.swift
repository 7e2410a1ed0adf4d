/// `rtpsession` delays key frame requests for 100-500 ms, and regular RTCP for up to 7 s.
///
/// It derives its RTCP intervals from a guessed bandwidth that is far too low for a call. There is no upstream issue: it follows the default of RFC
/// 3550 literally. With one packet of probation the first packet of a stream would also wait for a second one. No RTCP is sent before the first media
/// packet in either direction, so two ends with closed gates would not hear each other.
enum SlowFeedback: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func apply(to session: Element, _ tuning: TransportTuning) throws(MediaError) {
        try session.set("bandwidth", String(tuning.rtcpBandwidth))
        try session.set("rtcp-min-interval", String(tuning.rtcpMinIntervalMs * 1_000_000))
        try session.set("probation", "0")
    }

    /// Sends RTCP at once, and starts regular RTCP without waiting for media; the transport has to be connected.
    static func begin(in session: Element) {
        session.object("internal-session")?.emit("send-rtcp", [.uint64(0)])
    }
}
