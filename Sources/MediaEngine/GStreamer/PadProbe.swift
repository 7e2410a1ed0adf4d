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

/// The arguments of a probe: the pad, borrowed, and the data.
struct PadProbeInfo {
    /// A handler that keeps the pad would keep it alive forever.
    let pad: UnsafeMutablePointer<GstPad>
    let native: UnsafeMutablePointer<GstPadProbeInfo>

    var isList: Bool { native.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 }
    var buffer: UnsafeMutablePointer<GstBuffer>? { gst_pad_probe_info_get_buffer(native) }
    var event: UnsafeMutablePointer<GstEvent>? { gst_pad_probe_info_get_event(native) }
    var query: UnsafeMutablePointer<GstQuery>? { gst_pad_probe_info_get_query(native) }

    /// Calls the handler with the first bytes of each buffer.
    func forEachHead(_ body: (UnsafeRawBufferPointer) -> Void) {
        forEach { PassingBuffer(pointer: $0).withHead(body) }
    }

    /// Calls the handler with each buffer, including each one of a list, in order.
    func forEach(_ body: (UnsafeMutablePointer<GstBuffer>) -> Void) {
        if isList {
            guard let list = gst_pad_probe_info_get_buffer_list(native) else { return }
            for index in 0..<gst_buffer_list_length(list) {
                if let buffer = gst_buffer_list_get(list, index) { body(buffer) }
            }
        } else if let buffer {
            body(buffer)
        }
    }

    /// The length of an RTP header (RFC 3550 section 5.1).
    static let headLength = 12

    /// Makes the passing buffer writable: a buffer with other references is copied first.
    func makeWritable() -> UnsafeMutablePointer<GstBuffer>? {
        guard let buffer, let own = gst_mini_object_make_writable(UnsafeMutableRawPointer(buffer).cast()) else {
            return nil
        }
        native.pointee.data = UnsafeMutableRawPointer(own)
        return UnsafeMutableRawPointer(own).cast()
    }

    /// Passes another event on, which it takes over.
    func replace(_ event: UnsafeMutablePointer<GstEvent>) {
        gst_mini_object_unref(native.pointee.data.assumingMemoryBound(to: GstMiniObject.self))
        native.pointee.data = UnsafeMutableRawPointer(event)
    }

    /// Ends the data here, for `GST_PAD_PROBE_HANDLED`: the element that pushed it gets this result.
    func handled(_ result: GstFlowReturn) {
        gst_mini_object_unref(native.pointee.data.assumingMemoryBound(to: GstMiniObject.self))
        native.pointee.data = nil
        native.pointee.ABI.abi.flow_ret = result
    }

    /// Another buffer passes in place of this one.
    func replaceBuffer(by other: BufferRef) {
        guard let buffer else { return }
        native.pointee.data = UnsafeMutableRawPointer(gst_buffer_ref(other.pointer))
        gst_buffer_unref(buffer)
    }
}

/// A buffer while a probe looks at it.
struct PassingBuffer {
    let pointer: UnsafeMutablePointer<GstBuffer>

    /// A reference to keep or read it.
    var reference: BufferRef { BufferRef(borrowing: pointer) }

    var byteCount: Int { Int(gst_buffer_get_size(pointer)) }

    /// Calls `body` with the first bytes, copied to the stack: cheaper than sharing and mapping frequent buffers.
    func withHead<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        withUnsafeTemporaryAllocation(byteCount: PadProbeInfo.headLength, alignment: 8) { head in
            let count = gst_buffer_extract(pointer, 0, head.baseAddress, gsize(head.count))
            return body(UnsafeRawBufferPointer(rebasing: head[..<Int(count)]))
        }
    }
}

private final class ProbeBox: Sendable {
    let handler: @Sendable (PadProbeInfo) -> GstPadProbeReturn
    init(_ handler: @escaping @Sendable (PadProbeInfo) -> GstPadProbeReturn) { self.handler = handler }
}

extension Pad {
    /// Calls `handler` with all data of these types that passes this pad, on the pushing thread.
    ///
    /// The handler must neither block nor allocate much, except to hold the stream back on purpose
    /// (``pushOneByOne(_:)``, ``EncoderHandover``). Probes of one pad run in the order in which they were added; data that one drops does not
    /// reach the later ones.
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

    /// Blocks the streaming thread at this pad, both data and serialized events, until the returned probe is removed.
    func block() -> PadProbe { addProbe(GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM) { _ in GST_PAD_PROBE_OK } }

    /// Calls `handler` once, while no data passes this pad: at once, or on the streaming thread after the current data.
    func whenIdle(_ handler: @escaping @Sendable () -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_IDLE) { _ in
            handler()
            return GST_PAD_PROBE_REMOVE
        }
    }
}
