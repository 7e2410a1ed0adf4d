internal import Synchronization

/// Notes when packets of the peer arrive, of any kind: media, RTCP or DTLS.
final class PacketActivity: Sendable {
    private struct State {
        var rhythm = PeerRhythm()
        var silence: PeerSilence
        var isOver = false
        var report: (@Sendable (PeerConnectionEvent.Kind) -> Void)?
    }
    private let state: Mutex<State>
    private let streams = UnboundedSrtpStreams()

    /// Silence counts after the limits of `tuning`.
    init(_ tuning: TransportTuning) { state = Mutex(State(silence: PeerSilence(tuning))) }

    /// The rhythm of the packets so far.
    var rhythm: PeerRhythm { state.withLock { $0.rhythm } }

    /// Notes every packet that leaves `source`, the ICE source, and drops those of too many streams.
    func watch(_ source: Element) throws(MediaError) {
        // The probe belongs to the pad, which this does not own.
        try source.pad("src").probeHead { [self] bytes in
            let now = ClockReading.now
            guard streams.admits(bytes, at: now), let reports = note(PeerRhythm.Packet(bytes), at: now) else {
                return .drop
            }
            if !reports.isEmpty, let report = state.withLock({ $0.report }) { reports.forEach(report) }
            return .pass
        }
    }

    /// Notes a packet; returns what to report, or nil after the teardown.
    ///
    /// The first packet after a silence ends it: a call does not wait for the next look to go on.
    func note(_ packet: PeerRhythm.Packet, at now: ClockReading) -> [PeerConnectionEvent.Kind]? {
        state.withLock { state in
            if state.isOver { return nil }
            state.rhythm.note(packet, at: now)
            return state.silence.end(at: now, state.rhythm)
        }
    }

    /// Reports silence of the peer until the teardown, on the ICE thread; `checkPath` is called when silence may mean that the path is broken.
    ///
    /// That thread is awake for the packets anyway; a timer of Swift would wake three threads.
    func watchSilence(
        checkPath: @escaping @Sendable () -> Void, _ report: @escaping @Sendable (PeerConnectionEvent.Kind) -> Void
    ) {
        state.withLock { $0.report = report }
        IceThread.shared.runRepeatedly(after: .zero) { [weak self] in
            guard let look = self?.look(at: .now) else { return nil }
            if look.checksPath { checkPath() }
            look.reports.forEach(report)
            return look.pause
        }
    }

    /// Nil after the teardown.
    func look(at now: ClockReading) -> PeerSilence.Look? {
        state.withLock { $0.isOver ? nil : $0.silence.look(at: now, $0.rhythm) }
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
    func end() { state.withLock { ($0.isOver, $0.report) = (true, nil) } }
}
