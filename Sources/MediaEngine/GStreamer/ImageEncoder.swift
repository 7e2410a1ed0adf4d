internal import CGStreamer

/// Encodes raw frames as image files.
enum ImageEncoder {
    /// The time limit for one frame, in s.
    private static let limit: UInt = 5

    /// Encodes with GStreamer's own elements; blocks for some ms.
    ///
    /// - Throws: ``MediaError/snapshotFailed(text:)``.
    static func encode(_ frame: OutletBuffer, as format: ImageFormat) throws(MediaError) -> [UInt8] {
        guard GStreamerLibrary.hasElement(format.encoder) else { throw .pluginMissing(element: format.encoder) }
        guard let sample = gst_sample_new(frame.buffer.pointer, frame.caps.pointer, nil, nil),
            let caps = gst_caps_from_string(format.mediaType)
        else { throw .snapshotFailed(text: "GStreamer gives no reason") }
        defer {
            gst_mini_object_unref(UnsafeMutableRawPointer(sample).cast())
            gst_mini_object_unref(UnsafeMutableRawPointer(caps).cast())
        }
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let encoded = gst_video_convert_sample(sample, caps, GstClockTime(limit * 1_000_000_000), &error) else {
            let reason = error.map { String(cString: $0.pointee.message) }
            throw .snapshotFailed(text: reason ?? "GStreamer gives no reason")
        }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(encoded).cast()) }
        guard let buffer = gst_sample_get_buffer(encoded),
            let bytes = BufferRef(borrowing: buffer).withBytes({ [UInt8]($0) }), !bytes.isEmpty
        else { throw .snapshotFailed(text: "the encoder gave nothing") }
        return bytes
    }
}
