/// The jitter buffer's `faststart-min-packets` works by chance.
///
/// `gst_rtp_jitter_buffer_fast_start` looks for the first packet at the head of its queue, where the stream-start, caps and segment
/// events stand until the streaming thread has taken them; a key frame that arrives before that waits out the whole latency, or the
/// next picture. So each jitter buffer begins with no latency, which lets its first packet go at once, and gets the one that it
/// is to have with that packet. Packets in order are never held back by the latency, so nothing stutters.
/// Upstream has no issue; the code is the same in 1.22 to 1.28.
enum StalledFastStart: Workaround {
    static let mendedIn: GStreamerVersion? = nil

    /// What `webrtcbin` is told, for the jitter buffers that it will make.
    static let initialLatencyMs = 0

    static func restoreLatency(of jitterBuffer: Element, to milliseconds: Int) throws(MediaError) {
        try jitterBuffer.pad("src").onFirstBuffer { try? $0.set("latency", String(milliseconds)) }
    }
}
