/// `rtpsession` holds requests for key frames back for 100-500 ms, and regular RTCP for up to 7 s.
///
/// It derives its RTCP intervals from a guessed bandwidth that is far too low for a call. Upstream has no issue: it is the default of
/// RFC 3550 taken literally. With one packet of probation the first packet of a stream would also wait for a second. And no RTCP at all is
/// sent before the first packet of media in either direction, so two ends whose gates are shut would not hear each other.
enum SlowFeedback: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    static func mend(_ session: Element, _ tuning: TransportTuning) throws(MediaError) {
        try session.set("bandwidth", String(tuning.rtcpBandwidth))
        try session.set("rtcp-min-interval", String(tuning.rtcpMinIntervalMs * 1_000_000))
        try session.set("probation", "0")
    }

    /// Begins regular RTCP without waiting for media; the transport has to be up.
    static func begin(in session: Element) {
        session.object("internal-session")?.emit("send-rtcp", [.uint64(0)])
    }
}
