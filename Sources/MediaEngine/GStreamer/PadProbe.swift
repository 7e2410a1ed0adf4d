internal import CGStreamer
internal import Synchronization

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

/// What a probe is called with: the pad, borrowed, and what passes it.
struct PadProbeInfo {
    /// A handler that kept it would keep it alive for ever.
    let pad: UnsafeMutablePointer<GstPad>
    let native: UnsafeMutablePointer<GstPadProbeInfo>

    var isList: Bool { native.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 }
    var buffer: UnsafeMutablePointer<GstBuffer>? { gst_pad_probe_info_get_buffer(native) }
    var event: UnsafeMutablePointer<GstEvent>? { gst_pad_probe_info_get_event(native) }
    var query: UnsafeMutablePointer<GstQuery>? { gst_pad_probe_info_get_query(native) }

    /// Shows each buffer, of a list all of them, in order.
    func forEachBuffer(_ body: (BufferRef) -> Void) { forEach { body(BufferRef(borrowing: $0)) } }

    /// Shows the first bytes of each buffer, copied to the stack: cheaper than to share and map what passes often.
    func forEachHead(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: Self.headLength, alignment: 8) { head in
            forEach { buffer in
                let count = gst_buffer_extract(buffer, 0, head.baseAddress, gsize(head.count))
                body(UnsafeRawBufferPointer(rebasing: head[..<Int(count)]))
            }
        }
    }

    private func forEach(_ body: (UnsafeMutablePointer<GstBuffer>) -> Void) {
        if isList {
            guard let list = gst_pad_probe_info_get_buffer_list(native) else { return }
            for index in 0..<gst_buffer_list_length(list) {
                if let buffer = gst_buffer_list_get(list, index) { body(buffer) }
            }
        } else if let buffer {
            body(buffer)
        }
    }

    /// As long as the head of an RTP packet (RFC 3550 section 5.1).
    static let headLength = 12

    /// Makes the buffer that passes this caller's own to write into: one that others hold, too, is copied first.
    func makeWritable() -> UnsafeMutablePointer<GstBuffer>? {
        guard let buffer, let own = gst_mini_object_make_writable(UnsafeMutableRawPointer(buffer).cast()) else {
            return nil
        }
        native.pointee.data = UnsafeMutableRawPointer(own)
        return UnsafeMutableRawPointer(own).cast()
    }

    /// Another buffer goes on in the place of this one.
    func replaceBuffer(by other: BufferRef) {
        guard let buffer else { return }
        native.pointee.data = UnsafeMutableRawPointer(gst_buffer_ref(other.pointer))
        gst_buffer_unref(buffer)
    }
}

private final class ProbeBox: Sendable {
    let handler: @Sendable (PadProbeInfo) -> GstPadProbeReturn
    init(_ handler: @escaping @Sendable (PadProbeInfo) -> GstPadProbeReturn) { self.handler = handler }
}

extension Pad {
    /// Runs `handler` with everything of these types that passes this pad, on the thread that pushes it.
    ///
    /// The handler neither blocks nor allocates much. Probes of one pad run in the order in which they were added; what
    /// one drops the later ones do not see.
    @discardableResult
    func addProbe(
        _ types: GstPadProbeType..., handler: @escaping @Sendable (PadProbeInfo) -> GstPadProbeReturn
    ) -> PadProbe {
        let mask = types.reduce(0) { $0 | $1.rawValue }
        let id = gst_pad_add_probe(
            ref.pointer, GstPadProbeType(rawValue: mask),
            { pad, info, data in
                guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
                return Unmanaged<ProbeBox>.fromOpaque(data).takeUnretainedValue()
                    .handler(PadProbeInfo(pad: pad, native: info))
            },
            Unmanaged.passRetained(ProbeBox(handler)).toOpaque(),
            { data in if let data { Unmanaged<ProbeBox>.fromOpaque(data).release() } })
        return PadProbe(pad: self, id: id)
    }

    /// Holds the streaming thread at this pad, data and serialised events both, until the result is removed.
    func block() -> PadProbe { addProbe(GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM) { _ in GST_PAD_PROBE_OK } }

    /// Calls `handler` once, while nothing passes this pad: at once, or on the streaming thread after what passes now.
    func whenIdle(_ handler: @escaping @Sendable () -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_IDLE) { _ in
            handler()
            return GST_PAD_PROBE_REMOVE
        }
    }
}
