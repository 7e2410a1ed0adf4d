/// `webrtcbin` sends each packet only when its timestamp plus the latency of the capture is due.
///
/// Its `clocksync` is there for files and other sources that are not live (upstream
/// https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/1114). Ours are live: waiting delays every picture and, once the
/// delay is longer than the queue in front, drops some.
enum PacedSending: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    static func sendAtOnce(_ clocksync: Element) throws(MediaError) { try clocksync.set("sync", "false") }
}
