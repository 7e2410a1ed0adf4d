internal import Synchronization

/// Notes when packets of the peer arrive, of any kind: media, RTCP or DTLS.
final class PacketActivity: Sendable {
    private struct State {
        var rhythm = PeerRhythm()
        var silence: PeerSilence
        var isOver = false
    }
    private let state: Mutex<State>

    /// Silence counts after the limits of `tuning`.
    init(_ tuning: TransportTuning) { state = Mutex(State(silence: PeerSilence(tuning))) }

    /// The rhythm of the packets so far.
    var rhythm: PeerRhythm { state.withLock { $0.rhythm } }

    /// Notes every packet that leaves `source`, the ICE source.
    func watch(_ source: Element) throws(MediaError) {
        // The probe belongs to the pad, which this does not own.
        try source.pad("src").probeHead { [self] bytes in
            let packet = PeerRhythm.Packet(bytes)
            return state.withLock { state in
                if state.isOver { return .drop }
                state.rhythm.note(packet, at: .now)
                return .pass
            }
        }
    }

    /// Reports silence of the peer until the teardown, on the ICE thread; `checkPath` is called when silence may mean that the path is broken.
    ///
    /// That thread is awake for the packets anyway; a timer of Swift would wake three threads.
    func watchSilence(
        checkPath: @escaping @Sendable () -> Void, _ report: @escaping @Sendable (PeerConnectionEvent.Kind) -> Void
    ) {
        IceThread.shared.runRepeatedly(after: .zero) { [weak self] in
            guard let look = self?.look() else { return nil }
            if look.checksPath { checkPath() }
            look.reports.forEach(report)
            return look.pause
        }
    }

    /// Nil after the teardown.
    private func look() -> PeerSilence.Look? {
        state.withLock { $0.isOver ? nil : $0.silence.look(at: .now, $0.rhythm) }
    }

    /// The packets take another path from now on, which gets as much time as the former one.
    func changePath() { state.withLock { $0.silence.changePath(at: .now) } }

    /// Whether the teardown has begun.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Drops all packets from now on, for the teardown.
    ///
    /// A pipeline stops element by element, and the ICE source last. The peer's first RTCP packet, often its BYE, then reaches a `srtpdec` whose
    /// source pads have lost their streams. It makes up a stream, which it may not do
    /// (`gst_pad_create_stream_id_internal: assertion 'parent->numsinkpads <= 1' failed`).
    func end() { state.withLock { $0.isOver = true } }
}
