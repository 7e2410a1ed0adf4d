internal import CGStreamer

extension BufferRef {
    /// A black frame; nil for an invalid size or a format other than planar or semi-planar 4:2:0 of 8 bits.
    static func black(format: String, width: Int, height: Int) -> BufferRef? {
        guard ["I420", "YV12", "NV12", "NV21"].contains(format), (1...16_384).contains(width),
            (1...16_384).contains(height)
        else { return nil }
        var info = GstVideoInfo()
        gst_video_info_init(&info)
        guard gst_video_info_set_format(&info, gst_video_format_from_string(format), guint(width), guint(height)) != 0,
            let buffer = gst_buffer_new_allocate(nil, info.size, nil)
        else { return nil }
        // Luma 16 and chroma 128 (ITU-R BT.601); the luma plane comes first in all these formats.
        let chroma = min(info.offset.1, info.offset.2 > 0 ? info.offset.2 : info.offset.1)
        gst_buffer_memset(buffer, 0, 16, chroma)
        gst_buffer_memset(buffer, chroma, 128, info.size - chroma)
        return BufferRef(owning: buffer)
    }

    /// Silence of this many bytes; nil for an unknown sample format.
    static func silence(format: String, byteCount: Int) -> BufferRef? {
        let sampleFormat = gst_audio_format_from_string(format)
        guard sampleFormat != GST_AUDIO_FORMAT_UNKNOWN, sampleFormat != GST_AUDIO_FORMAT_ENCODED,
            let info = gst_audio_format_get_info(sampleFormat),
            let buffer = gst_buffer_new_allocate(nil, gsize(byteCount), nil)
        else { return nil }
        let silence = BufferRef(owning: buffer)
        var map = GstMapInfo()
        // Memory that is not written keeps its previous contents.
        guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 else { return nil }
        gst_audio_format_info_fill_silence(info, map.data, map.size)
        gst_buffer_unmap(buffer, &map)
        return silence
    }

    /// A buffer that shares these bytes and has the time and flags of another buffer.
    func copy(timedLike other: BufferRef) -> BufferRef {
        guard let copy = cgst_buffer_copy(pointer) else { return self }
        let what = GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
        gst_buffer_copy_into(copy, other.pointer, GstBufferCopyFlags(rawValue: what), 0, gsize.max)
        return BufferRef(owning: copy)
    }
}
