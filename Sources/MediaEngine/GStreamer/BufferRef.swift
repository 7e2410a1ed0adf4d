internal import CGStreamer

/// One reference to a GstBuffer, read-only.
final class BufferRef: Sendable {
    // Buffers are reference counted atomically, and a buffer with a second reference is never written to.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<GstBuffer>

    init(borrowing pointer: UnsafeMutablePointer<GstBuffer>) {
        gst_buffer_ref(pointer)
        self.pointer = pointer
    }

    /// Takes over a reference that the caller owns.
    init(owning pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = pointer }

    /// Copies `bytes`; nil when there are none, or no memory.
    convenience init?(copying bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else {
            return nil
        }
        gst_buffer_fill(buffer, 0, start, gsize(bytes.count))
        self.init(owning: buffer)
    }

    deinit { gst_buffer_unref(pointer) }

    /// Sets the presentation time, in running time, in ns; only for a buffer without other references.
    func present(at time: UInt64) { pointer.pointee.pts = GstClockTime(time) }

    /// Whether it needs an earlier buffer to be decoded: it is not a key frame.
    var isDelta: Bool {
        let miniObject = UnsafeMutableRawPointer(pointer).cast(to: GstMiniObject.self)
        return miniObject.pointee.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue != 0
    }

    /// In ns; 0 when it is not known.
    var duration: UInt64 {
        pointer.pointee.duration == cgst_clock_time_none() ? 0 : UInt64(pointer.pointee.duration)
    }

    var byteCount: Int { Int(gst_buffer_get_size(pointer)) }

    /// Reads the buffer's memory; nil when it cannot be mapped.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R? {
        var info = GstMapInfo()
        guard gst_buffer_map(pointer, &info, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(pointer, &info) }
        return body(UnsafeRawBufferPointer(start: info.data, count: Int(info.size)))
    }

    /// Whether both hold the same bytes; ends at the first difference.
    func hasSameBytes(as other: BufferRef) -> Bool {
        withBytes { mine in
            other.withBytes { theirs in
                mine.count == theirs.count && mine.elementsEqual(theirs, count: mine.count)
            } ?? false
        } ?? false
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func elementsEqual(_ other: UnsafeRawBufferPointer, count: Int) -> Bool {
        guard count > 0, let mine = baseAddress, let theirs = other.baseAddress else { return true }
        return memcmp(mine, theirs, count) == 0
    }
}
