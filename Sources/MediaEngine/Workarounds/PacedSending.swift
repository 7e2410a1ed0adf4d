/// `webrtcbin` sends each packet only when its timestamp plus the latency of the capture is due.
///
/// Its `clocksync` is for files and other sources that are not live (upstream
/// https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/1114). Our sources are live: waiting delays every frame and drops some once
/// the delay exceeds the queue in front.
enum PacedSending: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func sendAtOnce(_ clocksync: Element) throws(MediaError) { try clocksync.set("sync", "false") }
}
