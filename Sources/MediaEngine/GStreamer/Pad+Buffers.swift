internal import CGStreamer
internal import Synchronization

/// What a probe does with the data.
enum ProbeVerdict {
    case pass
    case drop
    /// The data passes and the probe is removed.
    case passAndRemove
    /// Another buffer passes in its place; of a list, nothing passes.
    case replace(BufferRef)
}

/// Handlers for the buffers that pass a pad, on the streaming thread.
extension Pad {
    /// Calls `handler` with every buffer; for a list, the verdict on its last buffer applies to all.
    @discardableResult
    func probe(_ handler: @escaping @Sendable (PassingBuffer) -> ProbeVerdict) -> PadProbe {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            var verdict = ProbeVerdict.pass
            info.forEach { verdict = handler(PassingBuffer(pointer: $0)) }
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

    /// Calls `handler` once for every buffer, and once for every list.
    func onPush(_ handler: @escaping @Sendable () -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _ in
            handler()
            return GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` with the first bytes of every buffer, ``PadProbeInfo/headLength`` at most; otherwise like ``probe(_:)``, but without
    /// replacing.
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

    /// Calls `handler` with every buffer and this pad, while `isNeeded`.
    func observe(
        while isNeeded: @escaping @Sendable () -> Bool = { true },
        _ handler: @escaping @Sendable (BufferRef, Pad) -> Void
    ) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            guard isNeeded() else { return GST_PAD_PROBE_OK }
            let pad = Pad(ref: GObjectRef(borrowing: info.pad))
            info.forEach { handler(BufferRef(borrowing: $0), pad) }
            return GST_PAD_PROBE_OK
        }
    }

    /// Drops every buffer that `admits` refuses; not called for lists.
    ///
    /// `admits` can ask for its presentation time, as ``runningTime(of:)`` tells it.
    func filter(_ admits: @escaping @Sendable (PassingBuffer, _ time: () -> UInt64?) -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = info.buffer else { return GST_PAD_PROBE_OK }
            let isAdmitted = admits(PassingBuffer(pointer: buffer)) { Self.runningTime(of: buffer, on: info.pad) }
            return isAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }

    /// Pushes the buffers of each list one after the other, each when `admits` returns true; false drops it and the rest of the list.
    ///
    /// `admits` gets the bytes of a buffer and may block. `begin` runs before each list or buffer with all its bytes; without a closure all passes at once.
    func pushOneByOne(_ begin: @escaping @Sendable (_ bytes: Int) -> ((_ bytes: Int) -> Bool)?) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            var bytes = 0
            info.forEach { bytes += Int(gst_buffer_get_size($0)) }
            guard let admits = begin(bytes) else { return GST_PAD_PROBE_OK }
            guard info.isList else {
                guard let buffer = info.buffer else { return GST_PAD_PROBE_OK }
                return admits(Int(gst_buffer_get_size(buffer))) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
            guard let next = gst_pad_get_peer(info.pad) else { return GST_PAD_PROBE_DROP }
            defer { gst_object_unref(next) }
            var (result, isDropped) = (GST_FLOW_OK, false)
            info.forEach { buffer in
                guard result == GST_FLOW_OK, !isDropped else { return }
                isDropped = !admits(Int(gst_buffer_get_size(buffer)))
                if !isDropped { result = gst_pad_chain(next, gst_buffer_ref(buffer)) }
            }
            info.handled(result)
            return GST_PAD_PROBE_HANDLED
        }
    }

    /// Calls `handler` once, with this pad's element.
    func onFirstBuffer(_ handler: @escaping @Sendable (Element) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            if let element = Pad(ref: GObjectRef(borrowing: info.pad)).element { handler(element) }
            return GST_PAD_PROBE_REMOVE
        }
    }

    /// Lets `handler` write into every buffer that passes, with the caps of the pad.
    ///
    /// A buffer with other references is copied first.
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

    /// Calls `handler` with all bytes of every buffer; not called for lists.
    func read(_ handler: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            if let buffer = info.buffer { Self.read(buffer, handler) }
            return GST_PAD_PROBE_OK
        }
    }

    /// Nil if the buffer cannot be mapped.
    @discardableResult
    private static func read<T>(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ handler: (UnsafeRawBufferPointer) -> T
    ) -> T? {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(buffer, &map) }
        return handler(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }

    /// Overwrites the bytes with zeros that `place` names in a buffer, which it can read; nil leaves the buffer as it is.
    ///
    /// Not called for lists. A buffer with other references is copied first.
    func overwrite(_ place: @escaping @Sendable (UnsafeRawBufferPointer) -> Range<Int>?) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = info.buffer, let range = Self.read(buffer, place).flatMap(\.self),
                let own = info.makeWritable()
            else { return GST_PAD_PROBE_OK }
            gst_buffer_memset(own, gsize(range.lowerBound), 0, gsize(range.count))
            return GST_PAD_PROBE_OK
        }
    }

    /// Limits the duration of every buffer to `limit`; its bytes stay.
    func limitBufferDuration(to limit: Duration) {
        let limit = GstClockTime(limit / .nanoseconds(1))
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let present = info.buffer, present.pointee.duration != cgst_clock_time_none(),
                present.pointee.duration > limit, let buffer = info.makeWritable()
            else { return GST_PAD_PROBE_OK }
            buffer.pointee.duration = limit
            return GST_PAD_PROBE_OK
        }
    }

    /// Replaces every empty buffer by one with a zero byte; its time, flags and metadata stay.
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

    /// Drops every buffer whose running time is not later than the previous one's.
    ///
    /// Where two rounds of a file or two sources overlap, an encoder would drop frames, even key frames, and continue with references that the
    /// decoder lacks. Timestamps of a network camera sometimes go back, when its audio and video are synchronised.
    func keepTimeRising() {
        let last = Mutex<UInt64?>(nil)
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            // A buffer without a time cannot overlap.
            guard let buffer = info.buffer, let time = Self.runningTime(of: buffer, on: info.pad) else {
                return GST_PAD_PROBE_OK
            }
            return last.withLock { last in
                if let last, time <= last { return GST_PAD_PROBE_DROP }
                last = time
                return GST_PAD_PROBE_OK
            }
        }
    }

    /// Passes a copy of each buffer on that shares no bytes with it; not called for lists.
    ///
    /// A memory has a list of the buffers that share it, behind a lock that spins. Where many streaming threads share one, they wait for each
    /// other, and longest for a thread that lost the processor meanwhile.
    func copyBytes() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = info.buffer, let copy = gst_buffer_copy_deep(buffer) else { return GST_PAD_PROBE_OK }
            info.replaceBuffer(by: BufferRef(owning: copy))
            return GST_PAD_PROBE_OK
        }
    }

    /// Drops all data of an unlinked source: pushing it would be an error, which stops the elements upstream.
    func dropWhileUnlinked() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { info in
            gst_pad_is_linked(info.pad) != 0 ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }

    /// Drops all data of this source pad while it is unlinked, and after what it feeds has failed, until there are other caps.
    ///
    /// The element of this pad gets success for it. The probe pushes the data itself: between a check and the push another thread could unlink the pad.
    func pushWhilePossible() {
        let hasFailed = Mutex(false)
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            if info.event?.pointee.type == GST_EVENT_CAPS { hasFailed.withLock { $0 = false } }
            return GST_PAD_PROBE_OK
        }
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard !hasFailed.withLock({ $0 }), let buffer = info.buffer, let peer = gst_pad_get_peer(info.pad) else {
                return GST_PAD_PROBE_DROP
            }
            defer { gst_object_unref(peer) }
            let result = gst_pad_chain(peer, gst_buffer_ref(buffer))
            switch result {
            case GST_FLOW_ERROR, GST_FLOW_NOT_NEGOTIATED:
                hasFailed.withLock { $0 = true }
                info.handled(GST_FLOW_OK)
            // It may be linked again.
            case GST_FLOW_NOT_LINKED: info.handled(GST_FLOW_OK)
            default: info.handled(result)
            }
            return GST_PAD_PROBE_HANDLED
        }
    }

    /// Passes each buffer on, and returns success to the element that pushes it through this source pad, whatever the result.
    func containErrors() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = info.buffer, let peer = gst_pad_get_peer(info.pad) else { return GST_PAD_PROBE_OK }
            gst_pad_chain(peer, gst_buffer_ref(buffer))
            gst_object_unref(peer)
            return GST_PAD_PROBE_DROP
        }
    }
}
