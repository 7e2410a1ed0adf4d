internal import Synchronization

/// How long packets wait in the jitter buffers, by SSRC, which `rtpjitterbuffer` does not say itself, and what was lost of them.
///
/// The report of `webrtcbin` 1.22 tells no losses, or those of another stream: it takes the jitter buffer that came last for that of each
/// stream of a bundle whose m-line it knows (`jitter_buffer_set_retransmission`).
final class JitterBufferWatch: Sendable {
    /// Of one stream, from its beginning.
    struct Total: Sendable {
        var packets = 0
        var seconds = 0.0
        /// Waited for in vain.
        var lost = 0
        /// Came when they were not waited for any more.
        var late = 0
    }

    private struct Stream: Sendable {
        let ssrc: UInt32
        let jitterBuffer: Element
        let waits: PacketWaits
    }

    /// The most streams that are told apart, the latest ones: a peer may send as many as it likes.
    private static let maximumStreams = 64
    private let known = Mutex<[Stream]>([])

    /// How many streams are told apart.
    var streams: Int { known.withLock { $0.count } }

    func total(of ssrc: UInt32) -> Total {
        guard let stream = known.withLock({ $0.last { $0.ssrc == ssrc } }) else { return Total() }
        let (waits, figures) = (stream.waits.total, stream.jitterBuffer.get("stats")?.fields)
        return Total(
            packets: waits.packets, seconds: waits.seconds, lost: figures?["num-lost"]?.intValue ?? 0,
            late: figures?["num-late"]?.intValue ?? 0)
    }

    /// Compares what enters a `rtpjitterbuffer` with what leaves it.
    func watch(_ jitterBuffer: Element) throws(MediaError) {
        let waits = PacketWaits()
        let (sink, source) = (try jitterBuffer.pad("sink"), try jitterBuffer.pad("src"))
        // The probes belong to its pads, so they must not own it: they know the waits only.
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

    /// Of an RTP packet (RFC 3550 section 5.1).
    private static func sequenceNumber(_ bytes: UnsafeRawBufferPointer) -> UInt16? {
        guard bytes.count >= 4 else { return nil }
        return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
}
