internal import CGStreamer
internal import Synchronization

/// An event that the engine handles.
enum PadEvent: Sendable {
    case endOfStream
    /// The caps of the data that follows; see ``Pad/caps``.
    case caps(PropertyValue)
    /// Nothing comes for this time, in ns; 0: it is not known.
    case gap(duration: UInt64)

    fileprivate init?(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_EOS: self = .endOfStream
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            guard let caps, gst_caps_get_size(caps) > 0 else { return nil }
            self = .caps(PropertyValue(gst_caps_get_structure(caps, 0)))
        case GST_EVENT_GAP:
            var duration = GstClockTime.max
            gst_event_parse_gap(event, nil, &duration)
            self = .gap(duration: duration == .max ? 0 : UInt64(duration))
        default: return nil
        }
    }
}

/// Handlers for downstream events of a pad, on the streaming thread, and for queries about it.
extension Pad {
    func onEvent(_ handler: @escaping @Sendable (PadEvent) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            if let event = info.event.flatMap(PadEvent.init) { handler(event) }
            return GST_PAD_PROBE_OK
        }
    }

    /// Blocks the end of the stream, and calls the handler instead.
    func interceptEndOfStream(_ handler: @escaping @Sendable () -> Void = {}) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            guard info.event?.pointee.type == GST_EVENT_EOS else { return GST_PAD_PROBE_OK }
            handler()
            return GST_PAD_PROBE_DROP
        }
    }

    /// Drops the event that a segment is done, if `isUnwanted` is true when it passes.
    func dropEndOfSegment(if isUnwanted: @escaping @Sendable () -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            info.event?.pointee.type == GST_EVENT_SEGMENT_DONE && isUnwanted()
                ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }

    /// Drops caps that `refuses` rejects.
    func refuseCaps(_ refuses: @escaping @Sendable (PropertyValue) -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            guard case .caps(let caps) = info.event.flatMap(PadEvent.init) else { return GST_PAD_PROBE_OK }
            return refuses(caps) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` with the size of the frames that follow, whenever it changes.
    func onFrameSize(_ handler: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
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

    /// Refuses serialized queries.
    ///
    /// The element that sends one waits until all data before it is processed, however long that takes behind this sink pad.
    func refuseSerializedQueries() {
        addProbe(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM) { info in
            guard let query = info.query else { return GST_PAD_PROBE_OK }
            let flags = gst_query_type_get_flags(query.pointee.type).rawValue
            return flags & GST_QUERY_TYPE_SERIALIZED.rawValue != 0 ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }

    /// Blocks the peer's requests for a key frame, and calls the handler instead.
    func interceptKeyFrameRequests(_ handler: @escaping @Sendable () -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { info in
            guard let event = info.event, gst_video_event_is_force_key_unit(event) != 0 else { return GST_PAD_PROBE_OK }
            handler()
            return GST_PAD_PROBE_DROP
        }
    }

    /// Blocks the peer's requests for a key frame of these streams, and calls the handler instead.
    func interceptKeyFrameRequests(of ssrcs: Set<UInt32>, _ handler: @escaping @Sendable () -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { info in
            var ssrc: guint = 0
            guard let event = info.event, gst_video_event_is_force_key_unit(event) != 0,
                let structure = gst_event_get_structure(event), gst_structure_get_uint(structure, "ssrc", &ssrc) != 0,
                ssrcs.contains(ssrc)
            else { return GST_PAD_PROBE_OK }
            handler()
            return GST_PAD_PROBE_DROP
        }
    }

    /// Sends the caps that the peer of this source pad asks for, instead of those that its element makes.
    func sendCapsOfPeer() {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            guard info.event?.pointee.type == GST_EVENT_CAPS, let wanted = gst_pad_peer_query_caps(info.pad, nil) else {
                return GST_PAD_PROBE_OK
            }
            defer { gst_caps_unref(wanted) }
            guard gst_caps_is_fixed(wanted) != 0, let event = gst_event_new_caps(wanted) else {
                return GST_PAD_PROBE_OK
            }
            info.replace(event)
            return GST_PAD_PROBE_OK
        }
    }

    /// Answers caps queries at this sink pad with what `other` takes, except for one of its fields.
    func answerCaps(of other: Pad, without field: String) {
        addProbe(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM) { info in
            guard let query = info.query, query.pointee.type == GST_QUERY_CAPS,
                let taken = gst_pad_query_caps(other.ref.pointer, nil), let caps = gst_caps_copy(taken)
            else { return GST_PAD_PROBE_OK }
            gst_caps_unref(taken)
            defer { gst_caps_unref(caps) }
            for index in 0..<gst_caps_get_size(caps) {
                gst_structure_remove_field(gst_caps_get_structure(caps, index), field)
            }
            var filter: UnsafeMutablePointer<GstCaps>?
            gst_query_parse_caps(query, &filter)
            guard let result = filter.flatMap({ gst_caps_intersect(caps, $0) }) ?? gst_caps_ref(caps) else {
                return GST_PAD_PROBE_OK
            }
            gst_query_set_caps_result(query, result)
            gst_caps_unref(result)
            return GST_PAD_PROBE_HANDLED
        }
    }

    /// Calls `handler` with the peer's reports on sent packets (``TransportFeedback``), in the order in which they were sent.
    ///
    /// `rtpsession` reads them and sends them upstream from its sink pad; they end here.
    func onPacketReports(_ handler: @escaping @Sendable ([PacketReport]) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { info in
            guard let structure = info.event.flatMap({ gst_event_get_structure($0) }),
                gst_structure_has_name(structure, "RTPTWCCPackets") != 0
            else { return GST_PAD_PROBE_OK }
            let count = cgst_structure_array_length(structure, "packets")
            handler(
                (0..<count).compactMap {
                    cgst_structure_array_element(structure, "packets", $0).flatMap(PacketReport.init)
                })
            return GST_PAD_PROBE_DROP
        }
    }

    /// Ends segments that the peer of this source pad has already, and priorities of streams (`GstWebRtcBinUpdateTos`).
    ///
    /// GStreamer takes a handled event as received. It would send a dropped one again with each buffer.
    func endNeedlessEvents() {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            guard let event = info.event, Self.isNeedless(event, for: info.pad) else { return GST_PAD_PROBE_OK }
            info.handled(GST_FLOW_OK)
            return GST_PAD_PROBE_HANDLED
        }
    }

    private static func isNeedless(
        _ event: UnsafeMutablePointer<GstEvent>, for pad: UnsafeMutablePointer<GstPad>?
    ) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CUSTOM_DOWNSTREAM_STICKY:
            return gst_event_get_structure(event).map { gst_structure_has_name($0, "GstWebRtcBinUpdateTos") != 0 }
                ?? false
        case GST_EVENT_SEGMENT:
            guard let pad, let peer = gst_pad_get_peer(pad) else { return false }
            defer { gst_object_unref(peer) }
            guard let present = gst_pad_get_sticky_event(peer, GST_EVENT_SEGMENT, 0) else { return false }
            defer { gst_event_unref(present) }
            var segment: UnsafePointer<GstSegment>?
            var other: UnsafePointer<GstSegment>?
            gst_event_parse_segment(event, &segment)
            gst_event_parse_segment(present, &other)
            guard let segment, let other else { return false }
            return gst_segment_is_equal(segment, other) != 0
        default: return false
        }
    }

    /// Blocks requests for renegotiation through this source pad.
    func refuseReconfiguration() {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { info in
            info.event?.pointee.type == GST_EVENT_RECONFIGURE ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }

    /// Answers every caps query of the element that this pad is linked to with all requested caps.
    func answerAnyCaps() {
        addProbe(isSource ? GST_PAD_PROBE_TYPE_QUERY_UPSTREAM : GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM) { info in
            guard let query = info.query, query.pointee.type == GST_QUERY_CAPS else { return GST_PAD_PROBE_OK }
            var filter: UnsafeMutablePointer<GstCaps>?
            gst_query_parse_caps(query, &filter)
            if let filter {
                gst_query_set_caps_result(query, filter)
            } else if let any = gst_caps_new_any() {
                gst_query_set_caps_result(query, any)
                gst_mini_object_unref(UnsafeMutableRawPointer(any).cast())
            }
            return GST_PAD_PROBE_HANDLED
        }
    }
}

extension PacketReport {
    /// Nil for a packet that this end does not know, because the peer made it up or reported it too late.
    fileprivate init?(_ structure: UnsafePointer<GstStructure>) {
        var (number, bytes): (guint, guint) = (0, 0)
        var (sent, received): (guint64, guint64) = (0, 0)
        var isLost: gboolean = 0
        let none = guint64(cgst_clock_time_none())
        guard gst_structure_get_uint(structure, "seqnum", &number) != 0,
            gst_structure_get_uint64(structure, "local-ts", &sent) != 0, sent != 0, sent != none,
            gst_structure_get_uint64(structure, "remote-ts", &received) != 0,
            gst_structure_get_uint(structure, "size", &bytes) != 0,
            gst_structure_get_boolean(structure, "lost", &isLost) != 0
        else { return nil }
        let hasArrived = isLost == 0 && received != none
        self.init(
            number: UInt16(truncatingIfNeeded: number), sent: Double(sent) / 1e9,
            received: hasArrived ? Double(received) / 1e9 : nil, bytes: Int(bytes) + Self.overhead)
    }
}
