internal import Synchronization

/// `srtpdec` keeps a stream for each SSRC of a peer, also of packets that it cannot authenticate, until the end of the call.
///
/// `validate_buffer` and `request_key_with_signal` in `gstsrtpdec.c` make it before the packet is checked, and libsrtp looks for a stream in a list. So whoever can
/// send from the peer's address makes each packet dearer, and the process larger (no upstream issue; the code is the same in 1.22 to 1.28). Packets
/// with too many new SSRCs are dropped in front of it. Such a sender can then keep out further streams of the peer, but not those that were heard before.
final class UnboundedSrtpStreams: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    /// The SSRCs of a connection at its beginning; each second allows another one, for a call that is transferred often.
    static let maximum = 64

    private let start: ClockReading
    private let known = Mutex<Set<UInt32>>([])

    init(start: ClockReading = .now) { self.start = start }

    /// Whether a packet that begins with these bytes may pass.
    func admits(_ head: UnsafeRawBufferPointer, at now: ClockReading) -> Bool {
        guard let ssrc = Self.ssrc(head) else { return true }
        return known.withLock { known in
            if known.contains(ssrc) { return true }
            guard known.count < Self.maximum + max(0, Int((now - start) / .seconds(1))) else { return false }
            known.insert(ssrc)
            return true
        }
    }

    /// The SSRC of an RTP or RTCP packet; nil for STUN, DTLS and all others (RFC 7983 section 7).
    private static func ssrc(_ head: UnsafeRawBufferPointer) -> UInt32? {
        guard head.count >= 8, (128...191).contains(head[0]) else { return nil }
        // RFC 5761 section 4.
        let place = (192...223).contains(head[1]) ? 4 : 8
        guard head.count >= place + 4 else { return nil }
        return UInt32(bigEndian: head.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
}
