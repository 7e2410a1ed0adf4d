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
        var frame = 0
    }
    /// So much may be sent at once: a pause for each packet would be dear.
    private static let burst = Duration.milliseconds(10)
    /// No packet waits longer, and no frame, in s: what is larger than the path takes in that time is lost anyway.
    private static let longest = Duration.milliseconds(250)
    private static let longestFrame = 0.5
    private let state = Mutex(State())
    private let discarded = DispatchSemaphore(value: 0)

    /// The rate in bit/s, headers included; nil: packets pass at once.
    func set(bitrate: Double?) { state.withLock { $0.bitrate = bitrate } }

    /// Drops what still waits.
    func discard() {
        state.withLock { $0.frame += 1 }
        discarded.signal()
    }

    /// Paces what leaves `source`, a payloader.
    func pace(_ source: Pad) {
        source.pushOneByOne { [self] bytes in
            let (frame, bitrate) = state.withLock { ($0.frame, $0.bitrate) }
            guard let bitrate else { return nil }
            let pace = max(bitrate, Double(bytes) * 8 / Self.longestFrame)
            return { [self] in admits($0 + PacketReport.overhead, of: frame, at: pace) }
        }
    }

    /// Waits until a packet of a frame may pass; false when the frame was discarded.
    private func admits(_ bytes: Int, of frame: Int, at pace: Double) -> Bool {
        let due: ContinuousClock.Instant? = state.withLock { state in
            guard state.frame == frame else { return nil }
            guard state.bitrate != nil else { return .now }
            let now = ContinuousClock.now
            let due = min(max(state.isFreeAt - Self.burst, now), now + Self.longest)
            state.isFreeAt = max(state.isFreeAt, now) + .seconds(Double(bytes) * 8 / pace)
            return due
        }
        guard let due else { return false }
        while case let wait = due - .now, wait > .zero {
            if discarded.wait(timeout: .now() + wait / .seconds(1)) == .success { break }
        }
        return state.withLock { $0.frame == frame }
    }
}
