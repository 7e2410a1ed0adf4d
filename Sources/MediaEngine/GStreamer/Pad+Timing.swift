internal import CGStreamer

/// The timing and caps of a pad's data.
extension Pad {
    /// The presentation time of a buffer on this pad, in running time of its pipeline, in ns; nil when it has none.
    func runningTime(of buffer: BufferRef) -> UInt64? { Self.runningTime(of: buffer.pointer, on: ref.pointer) }

    /// Calls `handler` with every buffer and its presentation time, as ``runningTime(of:)`` tells it, while `isNeeded`.
    func observeTimes(
        while isNeeded: @escaping @Sendable () -> Bool = { true },
        _ handler: @escaping @Sendable (PassingBuffer, UInt64?) -> Void
    ) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            guard isNeeded() else { return GST_PAD_PROBE_OK }
            info.forEach { handler(PassingBuffer(pointer: $0), Self.runningTime(of: $0, on: info.pad)) }
            return GST_PAD_PROBE_OK
        }
    }

    /// Sets the presentation time of each buffer, in running time, in ns, to what `time` makes of it; not called for lists.
    ///
    /// `time` also gets the earliest possible time; an earlier one would be cut off.
    func retime(_ time: @escaping @Sendable (_ present: UInt64, _ earliest: UInt64) -> UInt64) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = info.buffer, let present = Self.runningTime(of: buffer, on: info.pad) else {
                return GST_PAD_PROBE_OK
            }
            let next = time(present, Self.earliest(on: info.pad) ?? present)
            guard next != present, let own = info.makeWritable() else { return GST_PAD_PROBE_OK }
            // Running time passes as fast as presentation time, unless a segment is played faster, which no source here does.
            own.pointee.pts = own.pointee.pts &+ GstClockTime(next) &- GstClockTime(present)
            if own.pointee.dts != cgst_clock_time_none() { own.pointee.dts = own.pointee.pts }
            return GST_PAD_PROBE_OK
        }
    }

    /// Makes the presentation time of each buffer that enters this sink pad its running time, so that all streams have the same segment.
    ///
    /// For an element that takes lists of buffers apart first, and for media that plays forward at its own rate, as all does here.
    func presentInRunningTime() {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            guard info.event?.pointee.type == GST_EVENT_SEGMENT else { return GST_PAD_PROBE_OK }
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            if let event = gst_event_new_segment(&segment) { info.replace(event) }
            return GST_PAD_PROBE_OK
        }
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            // The source pad keeps the segment that was replaced here.
            guard let buffer = info.buffer, let source = gst_pad_get_peer(info.pad) else { return GST_PAD_PROBE_OK }
            defer { gst_object_unref(source) }
            let present = buffer.pointee.pts
            let next = Self.withSegment(of: source) { segment in
                var time: guint64 = 0
                // Unlike `gst_segment_to_running_time` it knows times outside the segment, too.
                let sign = gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, present, &time)
                // Running time cannot be negative.
                return sign > 0 ? time : sign < 0 ? 0 : cgst_clock_time_none()
            }
            guard let next = next.map(GstClockTime.init), next != present, let own = info.makeWritable() else {
                return GST_PAD_PROBE_OK
            }
            own.pointee.pts = next
            if own.pointee.dts != cgst_clock_time_none() { own.pointee.dts = own.pointee.dts &+ next &- present }
            return GST_PAD_PROBE_OK
        }
    }

    /// The running time at which the segment of a pad begins.
    private static func earliest(on pad: UnsafeMutablePointer<GstPad>) -> UInt64? {
        withSegment(of: pad) { gst_segment_to_running_time($0, GST_FORMAT_TIME, $0.pointee.start) }
    }

    static func runningTime(
        of buffer: UnsafeMutablePointer<GstBuffer>, on pad: UnsafeMutablePointer<GstPad>
    ) -> UInt64? {
        withSegment(of: pad) { gst_segment_to_running_time($0, GST_FORMAT_TIME, buffer.pointee.pts) }
    }

    /// Nil before the first segment, and for a time outside it.
    private static func withSegment(
        of pad: UnsafeMutablePointer<GstPad>, _ body: (UnsafePointer<GstSegment>) -> guint64
    ) -> UInt64? {
        guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(event).cast()) }
        var segment: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &segment)
        guard let segment else { return nil }
        let time = body(segment)
        return time == cgst_clock_time_none() ? nil : UInt64(time)
    }

    /// The current caps of this pad, as GStreamer writes them; nil while there are none.
    ///
    /// Omits a stream's headers for files, which containers do not take.
    var capsText: String? {
        guard let current = gst_pad_get_current_caps(ref.pointer) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(current).cast()) }
        guard let caps = gst_caps_copy(current) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).cast()) }
        guard gst_caps_get_size(caps) > 0, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        gst_structure_remove_field(structure, "streamheader")
        guard let text = gst_caps_to_string(caps) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}

extension BufferRef {
    /// A buffer that shares these bytes and is decoded and presented at another time, in ns; `isLater`: after a gap.
    func copy(at time: UInt64, isLater: Bool = false) -> BufferRef {
        guard let copy = cgst_buffer_copy(pointer) else { return self }
        if isLater {
            let miniObject = UnsafeMutableRawPointer(copy).cast(to: GstMiniObject.self)
            miniObject.pointee.flags |= GST_BUFFER_FLAG_DISCONT.rawValue
        }
        copy.pointee.pts = GstClockTime(time)
        copy.pointee.dts = GstClockTime(time)
        return BufferRef(owning: copy)
    }
}

extension Element {
    /// Makes an `appsrc` end its stream after the buffers pushed so far.
    func sendEndOfStream() { gst_element_send_event(ref.pointer, gst_event_new_eos()) }
}
