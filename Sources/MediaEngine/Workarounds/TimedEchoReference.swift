/// `webrtcdsp` compares the microphone with silence, and removes no echo.
///
/// Since 1.24 it ignores `delay-agnostic` and asks its probe for the audio played at the very time of the recorded audio
/// (`gst_webrtc_echo_probe_read` in `gstwebrtcechoprobe.cpp`; https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/2943, no issue). If
/// a sink waits for the time to play, the probe in front of it gets the audio too late. So a queue stands between them.
enum TimedEchoReference: Workaround {
    static let brokenIn: GStreamerVersion? = GStreamerVersion(1, 24)
    static let fixedIn: GStreamerVersion? = nil

    /// The element between the probe and the sink; nil where none is needed.
    static func queue() throws(MediaError) -> Element? {
        guard isNeeded else { return nil }
        let queue = try Element("queue")
        // No more than would wait in front of the probe without this queue.
        let limit = Int64(SinkFeed.maximumAudio / .nanoseconds(1)) + PlayoutDelay.maximum
        for (name, value) in [
            ("max-size-time", "\(limit)"), ("max-size-buffers", "0"), ("max-size-bytes", "0"), ("leaky", "downstream"),
        ] { try queue.set(name, value) }
        return queue
    }
}
