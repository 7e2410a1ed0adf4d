internal import CGStreamer

/// Owns one boxed `GstWebRTCSessionDescription`; raw pointers never live across an `await`.
final class NativeSessionDescription: Sendable {
    // The description is written once, here, and then only read.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<GstWebRTCSessionDescription>

    init(_ description: SessionDescription) throws(MediaError) {
        var message: UnsafeMutablePointer<GstSDPMessage>?
        guard gst_sdp_message_new_from_text(description.sdp, &message) == GST_SDP_OK else {
            gst_sdp_message_free(message)
            throw .invalidSDP(line: nil, text: "GStreamer cannot parse it")
        }
        let type = description.kind == .offer ? GST_WEBRTC_SDP_TYPE_OFFER : GST_WEBRTC_SDP_TYPE_ANSWER
        pointer = gst_webrtc_session_description_new(type, message)
    }

    deinit { gst_webrtc_session_description_free(pointer) }
}
