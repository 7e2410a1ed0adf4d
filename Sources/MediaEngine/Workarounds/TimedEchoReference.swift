/// `webrtcdsp` compares the microphone with silence, and takes out no echo.
///
/// Since 1.24 it passes over `delay-agnostic` and asks its probe for what is played at the very time of what is heard
/// (`gst_webrtc_echo_probe_read` in `gstwebrtcechoprobe.cpp`; https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/2943, no issue).
/// A sink that waits until it is time to play lets the probe in front of it hear that too late. So a queue stands between them.
enum TimedEchoReference: Workaround {
    static let brokenIn: GStreamerVersion? = GStreamerVersion(1, 24)
    static let mendedIn: GStreamerVersion? = nil

    /// What goes between the probe and the sink; nil where nothing is needed.
    static func queue() throws(MediaError) -> Element? {
        guard isNeeded else { return nil }
        let queue = try Element("queue")
        // No more than what waits in front of the probe where there is none.
        let limit = SinkPipeline.maximumSound.components.attoseconds / 1_000_000_000
        for (name, value) in [
            ("max-size-time", "\(limit)"), ("max-size-buffers", "0"), ("max-size-bytes", "0"), ("leaky", "downstream"),
        ] { try queue.set(name, value) }
        return queue
    }
}
