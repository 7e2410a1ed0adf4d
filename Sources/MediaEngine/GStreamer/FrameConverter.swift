internal import CGStreamer

/// Copies raw frames of one format into the application's memory, in its pixel format.
///
/// For one thread at a time.
final class FrameConverter {
    private var from = GstVideoInfo()
    private var to = GstVideoInfo()
    private let native: OpaquePointer
    let pixelFormat: PixelFormat

    /// Nil unless the caps describe raw frames in system memory.
    init?(from caps: CapsRef, to pixelFormat: PixelFormat) {
        self.pixelFormat = pixelFormat
        gst_video_info_init(&from)
        gst_video_info_init(&to)
        guard gst_video_info_from_caps(&from, caps.pointer) != 0, from.width > 0, from.height > 0,
            gst_video_info_set_format(
                &to, gst_video_format_from_string(pixelFormat.rawValue), guint(from.width), guint(from.height)) != 0
        else { return nil }
        // A converter does not change these, so they have to be equal.
        (to.fps_n, to.fps_d, to.interlace_mode) = (from.fps_n, from.fps_d, from.interlace_mode)
        guard let native = gst_video_converter_new(&from, &to, nil) else { return nil }
        self.native = native
    }

    deinit { gst_video_converter_free(native) }

    /// A converted copy; nil when the buffer is not such a frame.
    func frame(of buffer: BufferRef, time: Duration) -> VideoFrame? {
        var source = GstVideoFrame()
        guard gst_video_frame_map(&source, &from, buffer.pointer, GST_MAP_READ) != 0 else { return nil }
        defer { gst_video_frame_unmap(&source) }
        var isCopied = false
        let size = Int(to.size)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { memory, count in
            guard let start = memory.baseAddress else { return }
            isCopied = copy(&source, into: start, size)
            count = isCopied ? size : 0
        }
        guard isCopied else { return nil }
        let offsets = [to.offset.0, to.offset.1, to.offset.2]
        let strides = [to.stride.0, to.stride.1, to.stride.2]
        let planes = (0..<Int(cgst_video_info_planes(&to))).map { index in
            VideoFrame.Plane(offset: Int(offsets[index]), bytesPerRow: Int(strides[index]))
        }
        return VideoFrame(
            width: Int(to.width), height: Int(to.height), pixelFormat: pixelFormat, planes: planes, time: time,
            bytes: bytes)
    }

    private func copy(_ source: inout GstVideoFrame, into memory: UnsafeMutablePointer<UInt8>, _ size: Int) -> Bool {
        guard
            let wrapper = gst_buffer_new_wrapped_full(GstMemoryFlags(0), memory, gsize(size), 0, gsize(size), nil, nil)
        else { return false }
        defer { gst_buffer_unref(wrapper) }
        var target = GstVideoFrame()
        guard gst_video_frame_map(&target, &to, wrapper, GST_MAP_WRITE) != 0 else { return false }
        gst_video_converter_frame(native, &source, &target)
        gst_video_frame_unmap(&target)
        return true
    }
}
