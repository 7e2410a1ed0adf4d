/// A data channel points to its `webrtcbin` without keeping it alive.
///
/// Using the channel after its `webrtcbin` is freed writes into freed memory (upstream
/// https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4580, 1.24). So every operation runs on the connection's executor, and
/// ``PeerConnection/close()`` releases all channels before the pipeline stops. Both harm no release, so they are never off.
enum OrphanedDataChannel: Workaround {
    static let fixedIn: GStreamerVersion? = GStreamerVersion(1, 22, 3)
}
