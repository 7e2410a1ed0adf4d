internal import CGStreamer

/// A pad of an element.
struct Pad: GObject {
    let ref: GObjectRef<GstPad>

    var isSource: Bool { gst_pad_get_direction(ref.pointer) == GST_PAD_SRC }

    var name: String {
        guard let name = gst_object_get_name(ref.cast()) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// The element that this pad belongs to; nil when it was removed from it.
    var element: Element? {
        gst_pad_get_parent_element(ref.pointer).map { Element(ref: GObjectRef(owning: $0)) }
    }

    /// Its name behind the path of its element.
    var path: String { "\(element?.path ?? ""):\(name)" }

    /// The current caps of this pad: the fields of their first structure.
    var caps: PropertyValue? {
        guard let caps = gst_pad_get_current_caps(ref.pointer) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).cast()) }
        guard gst_caps_get_size(caps) > 0 else { return nil }
        return PropertyValue(gst_caps_get_structure(caps, 0))
    }

    /// - Throws: ``MediaError/linkFailed(from:to:reason:)``. A silent failure would show up later as `not-linked` elsewhere.
    func link(to sink: Pad) throws(MediaError) {
        let result = gst_pad_link(ref.pointer, sink.ref.pointer)
        guard result == GST_PAD_LINK_OK else {
            throw .linkFailed(from: path, to: sink.path, reason: String(cString: gst_pad_link_get_name(result)))
        }
    }

    /// Links two pads of different bins, through new ghost pads.
    func linkAcrossBins(to sink: Pad) throws(MediaError) {
        guard gst_pad_link_maybe_ghosting(ref.pointer, sink.ref.pointer) != 0 else {
            throw .linkFailed(from: path, to: sink.path, reason: "no ghost pads could be made")
        }
    }

    /// The pad that this one is linked to; nil when there is none.
    var peer: Pad? { gst_pad_get_peer(ref.pointer).map { Pad(ref: GObjectRef(owning: $0)) } }

    /// Undoes the link to this sink pad, if there is one.
    func unlinkFromPeer() {
        guard let peer = gst_pad_get_peer(ref.pointer) else { return }
        gst_pad_unlink(peer, ref.pointer)
        gst_object_unref(peer)
    }

    /// Asks the encoder upstream of this sink pad for a key frame (RFC 4585 PLI once it reaches the network).
    ///
    /// Not with all headers: that would become a FIR (RFC 5104), which aiortc and others ignore.
    func requestKeyFrame() {
        let event = gst_video_event_new_upstream_force_key_unit(cgst_clock_time_none(), 0, 0)
        gst_pad_push_event(ref.pointer, event)
    }

    /// Makes the encoder of this source pad encode its next frame as a key frame.
    func forceKeyFrame() {
        let event = gst_video_event_new_upstream_force_key_unit(cgst_clock_time_none(), 1, 0)
        gst_pad_send_event(ref.pointer, event)
    }

    /// Sets the caps of the data that follows on this sink pad.
    ///
    /// - Throws: ``MediaError/invalidProperty(object:property:value:)`` when the caps cannot be parsed or are refused.
    func sendCaps(_ text: String) throws(MediaError) {
        guard let caps = gst_caps_from_string(text) else {
            throw .invalidProperty(object: name, property: "caps", value: text)
        }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).cast()) }
        // Caps follow the start of the stream, which upstream may not have announced yet.
        if let start = gst_pad_get_sticky_event(ref.pointer, GST_EVENT_STREAM_START, 0) {
            gst_mini_object_unref(UnsafeMutableRawPointer(start).cast())
        } else {
            gst_pad_send_event(ref.pointer, gst_event_new_stream_start(name))
        }
        guard gst_pad_send_event(ref.pointer, gst_event_new_caps(caps)) != 0 else {
            throw .invalidProperty(object: name, property: "caps", value: text)
        }
    }

    /// Has the element of this source pad choose its caps again before the next data.
    func markReconfigure() { gst_pad_mark_reconfigure(ref.pointer) }

    /// Starts or stops a digit in the `rtpdtmfsrc` of this source pad.
    func sendDtmf(event number: Int, start: Bool) {
        guard let structure = gst_structure_new_empty("dtmf-event") else { return }
        for (name, value) in [("type", 1), ("number", number), ("volume", 10), ("method", 1)] {
            var field = GValue()
            g_value_init(&field, cgst_type_int())
            g_value_set_int(&field, gint(clamping: value))
            gst_structure_take_value(structure, name, &field)
        }
        var field = GValue()
        g_value_init(&field, cgst_type_boolean())
        g_value_set_boolean(&field, start ? 1 : 0)
        gst_structure_take_value(structure, "start", &field)
        gst_pad_send_event(ref.pointer, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure))
    }

    /// The possible outputs of this pad: each structure of its caps.
    var possibleCaps: [PropertyValue] {
        guard let caps = gst_pad_query_caps(ref.pointer, nil) else { return [] }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).cast()) }
        return PropertyValue.structures(of: caps)
    }

    /// Asks upstream of this source pad to play from the beginning, as a segment that ends with a message instead of the stream's end.
    @discardableResult
    func seekToStart(flushing: Bool) -> Bool {
        let flags = GST_SEEK_FLAG_SEGMENT.rawValue | (flushing ? GST_SEEK_FLAG_FLUSH.rawValue : 0)
        let event = gst_event_new_seek(
            1, GST_FORMAT_TIME, GstSeekFlags(rawValue: flags), GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1)
        return gst_pad_send_event(ref.pointer, event) != 0
    }

    /// Runs `body` while no data flows through this sink pad.
    func withStreamLock<R>(_ body: () -> R) -> R {
        cgst_pad_stream_lock(ref.pointer)
        defer { cgst_pad_stream_unlock(ref.pointer) }
        return body()
    }

    /// Passes one buffer to this sink pad, as if its peer had pushed it; probes see it.
    ///
    /// Runs the element's whole processing on the calling thread.
    func chain(_ buffer: BufferRef) { gst_pad_chain(ref.pointer, gst_buffer_ref(buffer.pointer)) }

    /// Pushes one buffer out of this source pad, after its sticky events.
    func push(_ buffer: BufferRef) { gst_pad_push(ref.pointer, gst_buffer_ref(buffer.pointer)) }

    /// Shifts the running time of all data that leaves this source pad by `nanoseconds`.
    func offsetRunningTime(by nanoseconds: UInt64) { gst_pad_set_offset(ref.pointer, gint64(clamping: nanoseconds)) }
}
