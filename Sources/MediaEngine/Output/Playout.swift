internal import Synchronization

/// When the media of a peer is shown and played: video and audio after one delay, which follows the path.
final class Playout: Sendable {
    private struct State {
        var delay = PlayoutDelay()
        /// How long the sinks take that are open, in ns: a sound card has a buffer.
        var latencies: [TrackID: Int64] = [:]
        var frame: (capture: Double, presentation: Double)?
    }
    private let state = Mutex(State())

    /// The present delay, in ms.
    var delayMs: Double { state.withLock { $0.delay.value / 1e6 } }

    /// Media with this presentation time is ready now; all times are those of the pipelines' clock, in ns.
    ///
    /// - Returns: How long it waits until it is shown or played; 0 when it is late.
    @discardableResult
    func note(_ kind: MediaKind, presentedAt time: UInt64, now: UInt64) -> Duration {
        let late = Int64(clamping: now) - Int64(clamping: time)
        return state.withLock { state in
            state.delay.note(late, of: kind, at: Int64(clamping: now))
            return .nanoseconds(max(0, Int64(state.delay.value) - late))
        }
    }

    /// Notes when the latest frame with a mark was captured, in ms since 1970, and when it is presented, in ms.
    func noteFrame(capturedAt capture: Double, presentedAt presentation: Double) {
        state.withLock { $0.frame = (capture, presentation) }
    }

    /// The presentation time of a frame less its capture time, in ms; nil without one that is presented within a second of `presentation`.
    func frameSkew(at presentation: Double) -> Double? {
        state.withLock { state in
            guard let frame = state.frame, abs(frame.presentation - presentation) < 1_000 else { return nil }
            return frame.presentation - frame.capture
        }
    }

    /// The round trip, in ms; that of a long path before the first report.
    var roundTripMs: Double { state.withLock { $0.delay.roundTripMs } }

    /// Sets the round trip, in ms.
    func follow(roundTripMs: Double) { state.withLock { $0.delay.follow(roundTripMs: roundTripMs) } }

    /// In ns: a sink that says more is wrong.
    private static let longestLatency: UInt64 = 10_000_000_000

    /// Sets how long an open sink takes until its media is seen or heard, in ns; nil: it is closed.
    func setLatency(_ latency: UInt64?, of track: TrackID) {
        state.withLock { $0.latencies[track] = latency.map { Int64(min($0, Self.longestLatency)) } }
    }

    /// How much later than its presentation time media enters its sink, in ns: that of the faster sink waits for the slower one.
    func shift(of track: TrackID) -> UInt64 {
        state.withLock { state in
            let slowest = state.latencies.values.max() ?? 0
            return UInt64(max(0, Int64(state.delay.value) + slowest - (state.latencies[track] ?? slowest)))
        }
    }
}

/// Moves the audio to another delay where it is heard least: a quiet packet is played twice, or not at all.
///
/// Its timeline has no gap and no overlap then, so every kind of sink can follow. A pure value; times are those of one clock, in ns.
struct AudioPlayout: Sendable {
    /// What to do with a packet.
    enum Verdict: Equatable {
        case play
        /// After a gap in the timeline.
        case playLater
        case playTwice
        case skip
    }

    /// So long a change waits for a quiet packet.
    static let patience: UInt64 = 2_000_000_000

    /// How much later than its presentation time a packet is played; nil before the first.
    private(set) var shift: UInt64?
    private var isWaitingSince: UInt64?

    /// Judges the next packet; `target` is where the shift should go.
    mutating func judge(
        presentedAt time: UInt64, duration: UInt64, now: UInt64, target: UInt64, isQuiet: () -> Bool
    ) -> Verdict {
        guard let shift else {
            self.shift = target
            return .play
        }
        // There is a gap anyway.
        if target > shift, now > time + shift {
            (self.shift, isWaitingSince) = (target, nil)
            return .playLater
        }
        let difference = target > shift ? target - shift : shift - target
        guard duration > 0, difference >= duration else {
            isWaitingSince = nil
            return .play
        }
        let begin = isWaitingSince ?? now
        isWaitingSince = begin
        guard isQuiet() || now >= begin + Self.patience else { return .play }
        isWaitingSince = nil
        self.shift = target > shift ? shift + duration : shift - duration
        return target > shift ? .playTwice : .skip
    }
}
