internal import Synchronization

/// Measures how long packets wait in the jitter buffers and how many are lost, by SSRC.
///
/// `rtpjitterbuffer` does not report the waiting time. `webrtcbin` 1.22 reports no losses, or those of another stream: in a bundle it
/// uses the latest jitter buffer for each stream whose m-line it knows (`jitter_buffer_set_retransmission`).
final class JitterBufferWatch: Sendable {
    /// The totals of one stream since its start.
    struct Total: Sendable {
        var packets = 0
        var seconds = 0.0
        /// Packets that were waited for in vain.
        var lost = 0
        /// Packets that arrived after the wait for them was over.
        var late = 0
    }

    private struct Stream: Sendable {
        let ssrc: UInt32
        let jitterBuffer: Element
        let waits: PacketWaits
    }

    /// The maximum number of tracked streams, the latest ones: a peer may send any number.
    private static let maximumStreams = 64
    private let known = Mutex<[Stream]>([])

    /// The number of tracked streams.
    var streams: Int { known.withLock { $0.count } }

    func total(of ssrc: UInt32) -> Total {
        guard let stream = known.withLock({ $0.last { $0.ssrc == ssrc } }) else { return Total() }
        let (waits, figures) = (stream.waits.total, stream.jitterBuffer.get("stats")?.fields)
        return Total(
            packets: waits.packets, seconds: waits.seconds, lost: figures?["num-lost"]?.intValue ?? 0,
            late: figures?["num-late"]?.intValue ?? 0)
    }

    /// Measures the time between the entry of a packet into a `rtpjitterbuffer` and its exit.
    func watch(_ jitterBuffer: Element) throws(MediaError) {
        let waits = PacketWaits()
        let (sink, source) = (try jitterBuffer.pad("sink"), try jitterBuffer.pad("src"))
        // Its pads own the probes, so the probes must not own it: they hold only the waits.
        sink.onFirstBuffer { [weak self] element in
            guard let caps = (try? element.pad("sink"))?.caps?.fields,
                let ssrc = caps["ssrc"]?.intValue.flatMap({ UInt32(exactly: $0) })
            else { return }
            self?.known.withLock { known in
                known.append(Stream(ssrc: ssrc, jitterBuffer: element, waits: waits))
                if known.count > Self.maximumStreams { known.removeFirst() }
            }
        }
        sink.probeHead { bytes in
            if let number = Self.sequenceNumber(bytes) { waits.begin(number) }
            return .pass
        }
        source.probeHead { bytes in
            if let number = Self.sequenceNumber(bytes) { waits.end(number) }
            return .pass
        }
    }

    /// The sequence number of an RTP packet (RFC 3550 section 5.1).
    private static func sequenceNumber(_ bytes: UnsafeRawBufferPointer) -> UInt16? {
        guard bytes.count >= 4 else { return nil }
        return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
}
