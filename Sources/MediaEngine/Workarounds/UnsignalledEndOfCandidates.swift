/// `webrtcbin` does not tell that there are no more local candidates.
///
/// Upstream: https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4598 (1.24 emits an empty candidate). The gathering state tells it.
enum UnsignalledEndOfCandidates: Workaround {
    static let mendedIn: GStreamerVersion? = GStreamerVersion(1, 24)

    /// `GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE`.
    private static let complete = 2

    static func watch(_ webrtc: Element, _ handler: @escaping @Sendable () -> Void) -> SignalConnection? {
        guard isNeeded else { return nil }
        return webrtc.connect("notify::ice-gathering-state") { arguments in
            if arguments.element(0)?.get("ice-gathering-state")?.intValue == complete { handler() }
        }
    }
}
