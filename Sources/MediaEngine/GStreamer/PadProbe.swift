internal import CGStreamer
internal import Synchronization

/// What a probe does with the data it saw.
enum ProbeVerdict {
    case pass
    case drop
    /// The data goes on and the probe is removed.
    case passAndRemove
    /// Another buffer goes on in its place; of a list, nothing does.
    case replace(BufferRef)
}

private final class ProbeBox: Sendable {
    let handler: @Sendable (BufferRef) -> ProbeVerdict
    init(_ handler: @escaping @Sendable (BufferRef) -> ProbeVerdict) { self.handler = handler }

    /// A list counts as so many buffers; the verdict on its last one holds for all.
    func judge(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> ProbeVerdict {
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 {
            guard let list = gst_pad_probe_info_get_buffer_list(info) else { return .pass }
            var verdict = ProbeVerdict.pass
            for index in 0..<gst_buffer_list_length(list) {
                if let buffer = gst_buffer_list_get(list, index) { verdict = handler(BufferRef(borrowing: buffer)) }
            }
            return verdict
        }
        guard let buffer = gst_pad_probe_info_get_buffer(info) else { return .pass }
        return handler(BufferRef(borrowing: buffer))
    }
}

/// A probe on a pad; removed by ``remove()``, by its own verdict or with the pad.
final class PadProbe: Sendable {
    private let pad: Pad
    private let id: Mutex<gulong>

    fileprivate init(pad: Pad, id: gulong) {
        self.pad = pad
        self.id = Mutex(id)
    }

    /// Idempotent.
    func remove() {
        let id = id.withLock { id in
            defer { id = 0 }
            return id
        }
        if id != 0 { gst_pad_remove_probe(pad.ref.pointer, id) }
    }
}

extension Pad {
    /// Shows every buffer on this pad to `handler`, on the streaming thread.
    ///
    /// The handler neither blocks nor allocates much. Probes of one pad run in the order in which they were added; what
    /// one drops the later ones do not see.
    @discardableResult
    func probe(_ handler: @escaping @Sendable (BufferRef) -> ProbeVerdict) -> PadProbe {
        let type = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue
        let id = gst_pad_add_probe(
            ref.pointer, GstPadProbeType(rawValue: type),
            { _, info, data in
                guard let info, let data else { return GST_PAD_PROBE_OK }
                switch Unmanaged<ProbeBox>.fromOpaque(data).takeUnretainedValue().judge(info) {
                case .pass: return GST_PAD_PROBE_OK
                case .drop: return GST_PAD_PROBE_DROP
                case .passAndRemove: return GST_PAD_PROBE_REMOVE
                case .replace(let other):
                    guard let old = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_DROP }
                    info.pointee.data = UnsafeMutableRawPointer(gst_buffer_ref(other.pointer))
                    gst_buffer_unref(old)
                    return GST_PAD_PROBE_OK
                }
            },
            Unmanaged.passRetained(ProbeBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<ProbeBox>.fromOpaque(data).release() } })
        return PadProbe(pad: self, id: id)
    }

    /// Holds the streaming thread at this pad, data and serialised events both, until the result is removed.
    func block() -> PadProbe {
        let id = gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, { _, _, _ in GST_PAD_PROBE_OK }, nil, nil)
        return PadProbe(pad: self, id: id)
    }

    /// Calls `handler` once, while nothing passes this pad: at once, or on the streaming thread after what passes now.
    func whenIdle(_ handler: @escaping @Sendable () -> Void) {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_IDLE,
            { _, _, data in
                if let data { Unmanaged<SignalBox>.fromOpaque(data).takeUnretainedValue().handler() }
                return GST_PAD_PROBE_REMOVE
            },
            Unmanaged.passRetained(SignalBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<SignalBox>.fromOpaque(data).release() } })
    }

    /// Refuses the queries that take their turn among the data.
    ///
    /// Whoever asks one waits until all data before it was processed, however long that takes behind this sink pad.
    func refuseSerializedQueries() {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
            { _, info, _ in
                guard let info, let query = gst_pad_probe_info_get_query(info) else { return GST_PAD_PROBE_OK }
                let flags = gst_query_type_get_flags(query.pointee.type).rawValue
                return flags & GST_QUERY_TYPE_SERIALIZED.rawValue != 0 ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
            }, nil, nil)
    }

    /// Answers every question of downstream for the caps of this source pad with all that were asked for.
    func answerAnyCaps() {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
            { _, info, _ in
                guard let info, let query = gst_pad_probe_info_get_query(info), query.pointee.type == GST_QUERY_CAPS
                else { return GST_PAD_PROBE_OK }
                var filter: UnsafeMutablePointer<GstCaps>?
                gst_query_parse_caps(query, &filter)
                if let filter {
                    gst_query_set_caps_result(query, filter)
                } else if let any = gst_caps_new_any() {
                    gst_query_set_caps_result(query, any)
                    gst_mini_object_unref(UnsafeMutableRawPointer(any).cast())
                }
                return GST_PAD_PROBE_HANDLED
            }, nil, nil)
    }

    /// Lets no end of the stream through.
    func holdEndOfStream() {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, info, _ in
                guard let info, let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_EOS
                else {
                    return GST_PAD_PROBE_OK
                }
                return GST_PAD_PROBE_DROP
            }, nil, nil)
    }

    /// Lets no end of the stream through, and tells of it, on the streaming thread.
    func interceptEndOfStream(_ handler: @escaping @Sendable () -> Void) {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, info, data in
                guard let info, let data, let event = gst_pad_probe_info_get_event(info),
                    event.pointee.type == GST_EVENT_EOS
                else { return GST_PAD_PROBE_OK }
                Unmanaged<SignalBox>.fromOpaque(data).takeUnretainedValue().handler()
                return GST_PAD_PROBE_DROP
            },
            Unmanaged.passRetained(SignalBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<SignalBox>.fromOpaque(data).release() } })
    }

    /// Drops every buffer whose running time is not later than that of the one before.
    ///
    /// Where two rounds of a file overlap by a picture, an encoder would lose one and go on with references that the decoder lacks.
    func keepTimeRising() {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, info, data in
                guard let pad, let info, let data, let buffer = gst_pad_probe_info_get_buffer(info),
                    let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)
                else { return GST_PAD_PROBE_OK }
                defer { gst_mini_object_unref(UnsafeMutableRawPointer(event).cast()) }
                var segment: UnsafePointer<GstSegment>?
                gst_event_parse_segment(event, &segment)
                let time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
                // What has no time of its own is nobody's overlap.
                guard time != cgst_clock_time_none() else { return GST_PAD_PROBE_OK }
                let box = Unmanaged<TimeBox>.fromOpaque(data).takeUnretainedValue()
                return box.isLater(UInt64(time)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            },
            Unmanaged.passRetained(TimeBox()).toOpaque(),
            { data in if let data { Unmanaged<TimeBox>.fromOpaque(data).release() } })
    }

    /// Lets `handler` write into every buffer that passes, with the caps of the pad, on the streaming thread.
    ///
    /// A buffer that others hold, too, is copied first.
    func edit(_ handler: @escaping @Sendable (UnsafeMutableRawBufferPointer, PropertyValue?) -> Void) {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, info, data in
                guard let pad, let info, let data, let buffer = gst_pad_probe_info_get_buffer(info),
                    let writable = gst_mini_object_make_writable(UnsafeMutableRawPointer(buffer).cast())
                else { return GST_PAD_PROBE_OK }
                info.pointee.data = UnsafeMutableRawPointer(writable)
                var map = GstMapInfo()
                let own: UnsafeMutablePointer<GstBuffer> = UnsafeMutableRawPointer(writable).cast()
                guard
                    gst_buffer_map(own, &map, GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue))
                        != 0
                else { return GST_PAD_PROBE_OK }
                defer { gst_buffer_unmap(own, &map) }
                let bytes = UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size))
                let caps = Pad(ref: GObjectRef(borrowing: pad)).caps
                Unmanaged<EditBox>.fromOpaque(data).takeUnretainedValue().handler(bytes, caps)
                return GST_PAD_PROBE_OK
            },
            Unmanaged.passRetained(EditBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<EditBox>.fromOpaque(data).release() } })
    }

    /// Gives every buffer without any bytes a zero byte; its time, flags and metadata stay.
    func fillEmptyBuffers() {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, _ in
                guard let info, let buffer = gst_pad_probe_info_get_buffer(info), gst_buffer_get_size(buffer) == 0,
                    let writable = gst_mini_object_make_writable(UnsafeMutableRawPointer(buffer).cast())
                else { return GST_PAD_PROBE_OK }
                info.pointee.data = UnsafeMutableRawPointer(writable)
                let own: UnsafeMutablePointer<GstBuffer> = UnsafeMutableRawPointer(writable).cast()
                gst_buffer_append_memory(own, gst_allocator_alloc(nil, 1, nil))
                gst_buffer_memset(own, 0, 0, 1)
                return GST_PAD_PROBE_OK
            }, nil, nil)
    }

    /// Calls `handler` once, on the streaming thread, with the element that this pad belongs to.
    ///
    /// The element is handed over because a handler that kept it would keep it alive for ever.
    func onFirstBuffer(_ handler: @escaping @Sendable (Element) -> Void) {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, _, data in
                guard let pad, let data, let parent = gst_pad_get_parent_element(pad) else {
                    return GST_PAD_PROBE_REMOVE
                }
                Unmanaged<ElementBox>.fromOpaque(data).takeUnretainedValue().handler(
                    Element(ref: GObjectRef(owning: parent)))
                return GST_PAD_PROBE_REMOVE
            },
            Unmanaged.passRetained(ElementBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<ElementBox>.fromOpaque(data).release() } })
    }

    /// Tells `handler` the size of the pictures that follow, whenever it changes; on the streaming thread.
    func onPictureSize(_ handler: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
        let last = Mutex<[Int]>([])
        onEvent { event in
            guard case .caps(let caps) = event, let width = caps.fields?["width"]?.intValue,
                let height = caps.fields?["height"]?.intValue, width > 0, height > 0
            else { return }
            let isNews = last.withLock { last in
                defer { last = [width, height] }
                return last != [width, height]
            }
            if isNews { handler(width, height) }
        }
    }

    /// Tells `handler` of the events that go downstream through this pad, on the streaming thread.
    func onEvent(_ handler: @escaping @Sendable (PadEvent) -> Void) {
        gst_pad_add_probe(
            ref.pointer, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, info, data in
                guard let info, let data, let event = gst_pad_probe_info_get_event(info),
                    let converted = PadEvent(event)
                else { return GST_PAD_PROBE_OK }
                Unmanaged<EventBox>.fromOpaque(data).takeUnretainedValue().handler(converted)
                return GST_PAD_PROBE_OK
            },
            Unmanaged.passRetained(EventBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<EventBox>.fromOpaque(data).release() } })
    }
}

/// An event that the engine looks at.
enum PadEvent: Sendable {
    case endOfStream
    /// The shape of the data that follows; see ``Pad/caps``.
    case caps(PropertyValue)

    fileprivate init?(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_EOS: self = .endOfStream
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            guard let caps, gst_caps_get_size(caps) > 0 else { return nil }
            self = .caps(PropertyValue(gst_caps_get_structure(caps, 0)))
        default: return nil
        }
    }
}

private final class SignalBox: Sendable {
    let handler: @Sendable () -> Void
    init(_ handler: @escaping @Sendable () -> Void) { self.handler = handler }
}

private final class TimeBox: Sendable {
    private let last = Mutex<UInt64?>(nil)

    /// Notes the time when it is later than the last.
    func isLater(_ time: UInt64) -> Bool {
        last.withLock { last in
            if let last, time <= last { return false }
            last = time
            return true
        }
    }
}

private final class EditBox: Sendable {
    let handler: @Sendable (UnsafeMutableRawBufferPointer, PropertyValue?) -> Void
    init(_ handler: @escaping @Sendable (UnsafeMutableRawBufferPointer, PropertyValue?) -> Void) {
        self.handler = handler
    }
}

private final class ElementBox: Sendable {
    let handler: @Sendable (Element) -> Void
    init(_ handler: @escaping @Sendable (Element) -> Void) { self.handler = handler }
}

private final class EventBox: Sendable {
    let handler: @Sendable (PadEvent) -> Void
    init(_ handler: @escaping @Sendable (PadEvent) -> Void) { self.handler = handler }
}
