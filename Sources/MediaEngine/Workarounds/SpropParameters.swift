/// A `sprop-stereo` that differs from our own makes `webrtcbin` answer `recvonly`.
///
/// Upstream: https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/5999 (1.22.10 and 1.24). Parameters whose names begin with
/// `sprop-` only tell what the sender does, so a remote description goes to `webrtcbin` without them.
enum SpropParameters: Workaround {
    static let mendedIn: Int? = 24

    static func isDropped(_ parameter: Substring) -> Bool { isNeeded && parameter.hasPrefix("sprop-") }
}
