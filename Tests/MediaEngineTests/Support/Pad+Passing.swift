import CGStreamer

@testable import MediaEngine

/// What passes a pad, with what the engine itself never asks for.
extension Pad {
    /// Counts the events that pass downstream and describe the stream (sticky events), all or those of one name.
    func countEvents(named name: String? = nil) -> Shared<Int> {
        let count = Shared(0)
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { info in
            guard let type = info.event?.pointee.type, type.rawValue & GST_EVENT_TYPE_STICKY.rawValue != 0 else {
                return GST_PAD_PROBE_OK
            }
            if name == nil || String(cString: gst_event_type_get_name(type)) == name { count.update { $0 += 1 } }
            return GST_PAD_PROBE_OK
        }
        return count
    }

    /// Collects the presentation time of each buffer, in ns, and its running time.
    func collectTimes() -> Shared<[(presented: UInt64, running: UInt64?)]> {
        let times = Shared<[(presented: UInt64, running: UInt64?)]>([])
        observeTimes { buffer, running in
            times.update { $0.append((buffer.reference.presented, running)) }
        }
        return times
    }
}
