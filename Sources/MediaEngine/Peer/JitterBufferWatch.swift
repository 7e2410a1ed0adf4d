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

    /// The most streams that are told apart: a peer may send as many as it likes.
    private static let maximumStreams = 64
    private let totals = Mutex<[UInt32: Total]>([:])
    private let elements = Mutex<[UInt32: Element]>([:])

    /// How many streams came so far.
    var streams: Int { totals.withLock { $0.count } }

    func total(of ssrc: UInt32) -> Total {
        var total = totals.withLock { $0[ssrc] ?? Total() }
        let figures = elements.withLock { $0[ssrc] }?.get("stats")?.fields
        total.lost = figures?["num-lost"]?.intValue ?? 0
        total.late = figures?["num-late"]?.intValue ?? 0
        return total
    }

    /// Compares what enters a `rtpjitterbuffer` with what leaves it.
    func watch(_ jitterBuffer: Element) throws(MediaError) {
        try jitterBuffer.pad("sink").onFirstBuffer { [weak self] element in
            guard let caps = (try? element.pad("sink"))?.caps?.fields,
                let ssrc = caps["ssrc"]?.intValue.flatMap({ UInt32(exactly: $0) })
            else { return }
            self?.elements.withLock { if $0.count < Self.maximumStreams { $0[ssrc] = element } }
        }
        let arrivals = Arrivals()
        try jitterBuffer.pad("sink").probe { buffer in
            if let header = RtpHeader(buffer) { arrivals.note(header.sequenceNumber) }
            return .pass
        }
        try jitterBuffer.pad("src").probe { [weak self] buffer in
            if let header = RtpHeader(buffer), let waited = arrivals.take(header.sequenceNumber) {
                self?.add(waited, header.ssrc)
            }
            return .pass
        }
    }

    private func add(_ waited: Duration, _ ssrc: UInt32) {
        totals.withLock { totals in
            guard totals[ssrc] != nil || totals.count < Self.maximumStreams else { return }
            totals[ssrc, default: Total()].packets += 1
            totals[ssrc, default: Total()].seconds += waited / .seconds(1)
        }
    }
}

/// When the packets came that are in a jitter buffer.
private final class Arrivals: Sendable {
    /// More than a jitter buffer holds at any rate.
    private static let size = 4_096
    private let instants = Mutex([ContinuousClock.Instant?](repeating: nil, count: size))

    func note(_ sequenceNumber: UInt16) {
        instants.withLock { $0[Int(sequenceNumber) % Self.size] = .now }
    }

    func take(_ sequenceNumber: UInt16) -> Duration? {
        instants.withLock { $0[Int(sequenceNumber) % Self.size].take() }.map { .now - $0 }
    }
}

/// What is needed of the head of an RTP packet (RFC 3550 section 5.1).
private struct RtpHeader {
    let sequenceNumber: UInt16
    let ssrc: UInt32

    init?(_ buffer: BufferRef) {
        let parts: (UInt16, UInt32)?? = buffer.withBytes { bytes in
            guard bytes.count >= 12 else { return nil }
            return (
                UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)),
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            )
        }
        guard case .some(.some(let (sequenceNumber, ssrc))) = parts else { return nil }
        (self.sequenceNumber, self.ssrc) = (sequenceNumber, ssrc)
    }
}
