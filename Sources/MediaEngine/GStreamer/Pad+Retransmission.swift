internal import CGStreamer

/// Events for a `rtprtxsend`: to send a packet again, or to choose another stream for that.
extension Pad {
    private static let request = "GstRTPRetransmissionRequest"
    private static let collision = "GstRTPCollision"
    /// Marks an event that `rtpsession` did not send.
    private static let mark = "callagent-own"

    /// Passes a request of the peer upstream only when `admits` allows it; `rtpsession` makes one of each number in a NACK.
    func limitRetransmissionRequests(_ admits: @escaping @Sendable (_ number: UInt16, _ ssrc: UInt32) -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { info in
            var (number, ssrc): (guint, guint) = (0, 0)
            guard let structure = info.event.flatMap({ gst_event_get_structure($0) }),
                gst_structure_has_name(structure, Self.request) != 0,
                gst_structure_has_field(structure, Self.mark) == 0,
                gst_structure_get_uint(structure, "seqnum", &number) != 0,
                gst_structure_get_uint(structure, "ssrc", &ssrc) != 0
            else { return GST_PAD_PROBE_OK }
            return admits(UInt16(truncatingIfNeeded: number), ssrc) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }

    /// Sends a packet again that the peer did not ask for, if it is still remembered; ``limitRetransmissionRequests(_:)`` does not count it.
    func sendAgain(_ number: UInt16, ssrc: UInt32) {
        sendUpstream("\(Self.request), seqnum=(uint)\(number), ssrc=(uint)\(ssrc), \(Self.mark)=(boolean)true")
    }

    /// Makes the element forget the packets of `ssrc`, and the stream on which it sends them again; it chooses one anew at the next packet.
    ///
    /// The event is that of an SSRC collision, at which the payloader would choose another SSRC: ``endForgottenStreams()`` stops it at the sink pad.
    func forgetStream(_ ssrc: UInt32) {
        sendUpstream("\(Self.collision), ssrc=(uint)\(ssrc), \(Self.mark)=(boolean)true")
    }

    /// Drops at this sink pad the events that ``forgetStream(_:)`` sends.
    func endForgottenStreams() {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { info in
            guard let structure = info.event.flatMap({ gst_event_get_structure($0) }),
                gst_structure_has_name(structure, Self.collision) != 0,
                gst_structure_has_field(structure, Self.mark) != 0
            else { return GST_PAD_PROBE_OK }
            return GST_PAD_PROBE_DROP
        }
    }

    private func sendUpstream(_ text: String) {
        guard let structure = gst_structure_from_string(text, nil) else { return }
        gst_pad_send_event(ref.pointer, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure))
    }
}
