/// The jitter buffer's `faststart-min-packets` does not work reliably.
///
/// `gst_rtp_jitter_buffer_fast_start` looks for the first packet at the head of its queue, where the stream-start, caps and segment events stay until
/// the streaming thread takes them. A key frame that arrives earlier waits for the whole latency, or for the next frame. So each jitter buffer starts
/// with no latency, which releases its first packet at once, and gets its proper latency with that packet (``JitterBuffers``). Packets in order are
/// never delayed by the latency, so nothing stutters. No upstream issue; the code is the same in 1.22 to 1.28.
enum StalledFastStart: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// The latency set on `webrtcbin`, for the jitter buffers that it will make.
    static let initialLatencyMs = 0
}
