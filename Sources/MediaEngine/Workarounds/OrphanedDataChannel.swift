/// A data channel points at its `webrtcbin` without keeping it alive.
///
/// Used after it, it writes into freed memory (upstream https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4580, 1.24). So everything is asked
/// of it on the connection's executor, and ``PeerConnection/close()`` lets go of all channels before the pipeline stops.
enum OrphanedDataChannel: Workaround {
    static let mendedIn: GStreamerVersion? = GStreamerVersion(1, 22, 3)
}
