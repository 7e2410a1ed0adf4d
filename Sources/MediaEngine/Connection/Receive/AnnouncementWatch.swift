internal import Synchronization

/// Compares what arrives of one kind with what the peer announced, on all connections of a call.
///
/// Called on streaming threads. It looks at frames and samples only on connections that measure that.
final class AnnouncementWatch: Sendable {
    private struct State {
        var meter = AnnouncementMeter()
        var isMeasured = false
    }
    private let kind: MediaKind
    private let playout: Playout
    private let state = Mutex(State())
    /// What the state says, for the many packets of media that may arrive.
    private let forbidsPackets = Atomic(false)
    private let expectsBlank = Atomic(false)

    /// The tolerance is this and twice the round trip and the playout delay.
    ///
    /// It covers what the sender had in its encoder, the wait for lost packets (a second at most on any path), and busy machines.
    static let leastTolerance = Duration.seconds(1)

    init(_ kind: MediaKind, playout: Playout) { (self.kind, self.playout) = (kind, playout) }

    private var tolerance: Duration {
        Self.leastTolerance + .milliseconds(2 * playout.roundTripMs) + .milliseconds(playout.delayMs)
    }

    func expect(_ mode: SendMode, announcedAt announced: ContinuousClock.Instant) {
        let tolerance = tolerance
        state.withLock { $0.meter.expect(mode, announcedAt: announced, now: .now, tolerance: tolerance) }
        forbidsPackets.store(mode == .off || mode == .closed, ordering: .relaxed)
        expectsBlank.store(mode == .blank, ordering: .relaxed)
    }

    /// Whether the peer announced that its media is neither muted nor off, and all that arrives is from after that.
    var expectsLive: Bool {
        let tolerance = tolerance
        return state.withLock { $0.meter.expectsLive(at: .now, tolerance: tolerance) }
    }

    /// For how much of the time of this length until now all that arrived had to be live.
    func liveTime(within length: Duration) -> Duration {
        let tolerance = tolerance
        return state.withLock { $0.meter.liveTime(within: length, at: .now, tolerance: tolerance) }
    }

    /// A packet arrived.
    func notePacket() { if forbidsPackets.load(ordering: .relaxed) { note(1) } }

    /// From now on frames or samples are compared, too.
    func measure() { state.withLock { $0.isMeasured = true } }

    /// A frame was decoded.
    func note(frame: BufferRef, width: Int, height: Int) {
        let isBlack = frame.withBytes { BlankMedia.isBlack(luma: $0, width: width, height: height) }
        if let isBlack = isBlack.flatMap(\.self) { note(1, isBlank: isBlack) }
    }

    /// Audio of this duration was decoded.
    func note(audio: BufferRef, milliseconds: Double) {
        let isSilent = audio.withBytes { bytes in
            bytes.withMemoryRebound(to: Int16.self) { BlankMedia.isSilent($0) }
        }
        if let isSilent { note(milliseconds, isBlank: isSilent) }
    }

    private func note(_ amount: Double, isBlank: Bool) {
        guard !forbidsPackets.load(ordering: .relaxed), isBlank != expectsBlank.load(ordering: .relaxed) else { return }
        note(amount)
    }

    private func note(_ amount: Double) {
        let tolerance = tolerance
        state.withLock { $0.meter.note(amount, at: .now, tolerance: tolerance) }
    }

    /// What counts so far.
    var broken: BrokenAnnouncements {
        let tolerance = tolerance
        return state.withLock { state in
            func total(_ mode: SendMode) -> Double { state.meter.total(of: mode, at: .now, tolerance: tolerance) }
            var broken = BrokenAnnouncements()
            broken.packetsWhileOff = Int(total(.off))
            broken.packetsWhileHeld = Int(total(.closed))
            guard state.isMeasured else { return broken }
            switch kind {
            case .video: (broken.framesWhileMuted, broken.blackFrames) = (Int(total(.blank)), Int(total(.live)))
            case .audio: (broken.audibleMsWhileMuted, broken.silentMs) = (total(.blank), total(.live))
            }
            return broken
        }
    }
}
