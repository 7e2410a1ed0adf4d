internal import Synchronization

/// When packets of the peer arrive, of whatever kind: media, RTCP or DTLS.
final class PacketActivity: Sendable {
    private struct State {
        var rhythm = PeerRhythm()
        var isOver = false
    }
    private let state = Mutex(State())

    /// What arrived so far.
    var rhythm: PeerRhythm { state.withLock { $0.rhythm } }

    /// Notes every packet that comes out of `source`, a `nicesrc`.
    func watch(_ source: Element) throws(MediaError) {
        try source.pad("src").probeHead { [weak self] bytes in
            let packet = PeerRhythm.Packet(bytes)
            return self?.state.withLock { state in
                if state.isOver { return .drop }
                state.rhythm.note(packet, at: .now)
                return .pass
            } ?? .drop
        }
    }

    /// Lets nothing through any more, for the teardown.
    ///
    /// A pipeline stops element by element, and `nicesrc` last. The peer's first RTCP, often its BYE, then finds a `srtpdec` whose source
    /// pads have forgotten their streams, and which makes up one of a kind that it may not
    /// (`gst_pad_create_stream_id_internal: assertion 'parent->numsinkpads <= 1' failed`).
    func end() { state.withLock { $0.isOver = true } }
}
