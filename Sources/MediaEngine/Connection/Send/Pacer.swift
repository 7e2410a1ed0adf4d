internal import Dispatch
internal import Synchronization

/// Spreads the packets of large frames over time, so that a key frame does not fill the queue of a narrow path.
///
/// It blocks the thread that encodes. So there is no queue of its own: while a frame waits, the capture drops its oldest frames. Only a path that is known
/// to be narrow is paced: elsewhere frames leave at once.
final class Pacer: Sendable {
    private struct State {
        /// In bit/s; nil: at once.
        var bitrate: Double?
        /// When all that was sent has passed, at this rate.
        var isFreeAt = ContinuousClock.now
        /// The frames that reached the encoder, and how many of them may no longer leave.
        var frames = 0
        var discarded = 0

        var isDiscarded: Bool { frames <= discarded && discarded > 0 }
    }
    /// So much may be sent at once: a pause for each packet would be dear.
    private static let burst = Duration.milliseconds(10)
    /// No packet waits longer.
    private static let longest = Duration.milliseconds(250)
    /// No frame takes longer, in s: what the path does not take in that time is lost anyway.
    private static let longestFrame = 0.5
    private let state = Mutex(State())
    private let changed = DispatchSemaphore(value: 0)

    /// The rate in bit/s, headers included; nil: packets pass at once.
    func set(bitrate: Double?) {
        state.withLock { state in
            state.bitrate = bitrate
            if bitrate == nil { state.isFreeAt = .now }
        }
    }

    /// Drops what still waits, and what the encoder makes of the frame that it has.
    func discard() {
        state.withLock { state in
            state.discarded = state.frames
            state.isFreeAt = .now
        }
        changed.signal()
    }

    /// Counts the frames that reach `sink`, an encoder; add it in front of what holds frames back.
    func count(_ sink: Pad) {
        sink.probe { [self] _ in
            state.withLock { $0.frames += 1 }
            return .pass
        }
    }

    /// Paces what leaves `source`, a payloader; `onDrop` runs for each packet that is discarded.
    func pace(_ source: Pad, onDrop: @escaping @Sendable () -> Void) {
        source.pushOneByOne { [self] bytes in
            guard let bitrate = state.withLock({ $0.bitrate }) else { return nil }
            let pace = max(bitrate, Double(bytes) * 8 / Self.longestFrame)
            return { [self] bytes in
                let isAdmitted = admits(bytes + PacketReport.overhead, at: pace)
                if !isAdmitted { onDrop() }
                return isAdmitted
            }
        }
    }

    /// Waits until a packet may pass; false when its frame was discarded.
    func admits(_ bytes: Int, at pace: Double) -> Bool {
        let due: ContinuousClock.Instant? = state.withLock { state in
            let now = ContinuousClock.now
            guard !state.isDiscarded else { return nil }
            // After a much lower rate nothing waits longer than usual.
            let begin = min(max(state.isFreeAt, now), now + Self.longest)
            state.isFreeAt = begin + .seconds(Double(bytes) * 8 / pace)
            return begin - Self.burst
        }
        guard let due else { return false }
        while case let wait = due - .now, wait > .zero {
            _ = changed.wait(timeout: .now() + wait / .seconds(1))
            if state.withLock({ $0.isDiscarded }) { return false }
        }
        return true
    }
}
