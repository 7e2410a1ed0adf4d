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

/// What is done with the buffers that pass a pad, on the streaming thread.
extension Pad {
    /// Shows every buffer to `handler`; of a list the verdict on its last buffer holds for all.
    @discardableResult
    func probe(_ handler: @escaping @Sendable (BufferRef) -> ProbeVerdict) -> PadProbe {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            var verdict = ProbeVerdict.pass
            info.forEachBuffer { verdict = handler($0) }
            switch verdict {
            case .pass: return GST_PAD_PROBE_OK
            case .drop: return GST_PAD_PROBE_DROP
            case .passAndRemove: return GST_PAD_PROBE_REMOVE
            case .replace(let other):
                guard !info.isList else { return GST_PAD_PROBE_DROP }
                info.replaceBuffer(by: other)
                return GST_PAD_PROBE_OK
            }
        }
    }

    /// Shows the first bytes of every buffer to `handler`, ``PadProbeInfo/headLength`` at most; else as ``probe(_:)``, but replaces nothing.
    @discardableResult
    func probeHead(_ handler: @escaping @Sendable (UnsafeRawBufferPointer) -> ProbeVerdict) -> PadProbe {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            var verdict = ProbeVerdict.pass
            info.forEachHead { verdict = handler($0) }
            return switch verdict {
            case .pass, .replace: GST_PAD_PROBE_OK
            case .drop: GST_PAD_PROBE_DROP
            case .passAndRemove: GST_PAD_PROBE_REMOVE
            }
        }
    }

    /// Shows every buffer to `handler`, with this pad.
    func observe(_ handler: @escaping @Sendable (BufferRef, Pad) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            let pad = Pad(ref: GObjectRef(borrowing: info.pad))
            info.forEachBuffer { handler($0, pad) }
            return GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` once, with the element that this pad belongs to.
    func onFirstBuffer(_ handler: @escaping @Sendable (Element) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            if let parent = gst_pad_get_parent_element(info.pad) { handler(Element(ref: GObjectRef(owning: parent))) }
            return GST_PAD_PROBE_REMOVE
        }
    }

    /// Lets `handler` write into every buffer that passes, with the caps of the pad.
    ///
    /// A buffer that others hold, too, is copied first.
    func edit(_ handler: @escaping @Sendable (UnsafeMutableRawBufferPointer, PropertyValue?) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = info.makeWritable() else { return GST_PAD_PROBE_OK }
            var map = GstMapInfo()
            let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
            guard gst_buffer_map(buffer, &map, access) != 0 else { return GST_PAD_PROBE_OK }
            defer { gst_buffer_unmap(buffer, &map) }
            let bytes = UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size))
            handler(bytes, Pad(ref: GObjectRef(borrowing: info.pad)).caps)
            return GST_PAD_PROBE_OK
        }
    }

    /// Gives every buffer without any bytes a zero byte; its time, flags and metadata stay.
    func fillEmptyBuffers() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let present = info.buffer, gst_buffer_get_size(present) == 0, let buffer = info.makeWritable() else {
                return GST_PAD_PROBE_OK
            }
            gst_buffer_append_memory(buffer, gst_allocator_alloc(nil, 1, nil))
            gst_buffer_memset(buffer, 0, 0, 1)
            return GST_PAD_PROBE_OK
        }
    }

    /// Drops every buffer whose running time is not later than that of the one before.
    ///
    /// Where two rounds of a file or two sources overlap, an encoder would lose pictures, key frames among them, and go on with references that the
    /// decoder lacks. Times of a network camera go back by themselves now and then, when its sound and its pictures are brought into step.
    func keepTimeRising() {
        let last = Mutex<UInt64?>(nil)
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            // What has no time of its own is nobody's overlap.
            guard let buffer = info.buffer,
                let time = Pad(ref: GObjectRef(borrowing: info.pad)).runningTime(of: BufferRef(borrowing: buffer))
            else { return GST_PAD_PROBE_OK }
            return last.withLock { last in
                if let last, time <= last { return GST_PAD_PROBE_DROP }
                last = time
                return GST_PAD_PROBE_OK
            }
        }
    }

    /// Drops what nobody would take: a source that leads nowhere is an error, which stops whatever feeds it.
    func dropWhileUnlinked() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            gst_pad_is_linked(info.pad) != 0 ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }

    /// Hands each buffer on, and tells whoever pushes it through this source pad that all is well, whatever comes of it.
    func containErrors() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = info.buffer, let peer = gst_pad_get_peer(info.pad) else { return GST_PAD_PROBE_OK }
            gst_pad_chain(peer, gst_buffer_ref(buffer))
            gst_object_unref(peer)
            return GST_PAD_PROBE_DROP
        }
    }
}
