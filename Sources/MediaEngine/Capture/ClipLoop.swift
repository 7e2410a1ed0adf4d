internal import Dispatch
internal import Synchronization

/// Plays a file in a loop without a gap: video and audio restart together.
///
/// After a *segment* seek the demuxer sends `SEGMENT_DONE` instead of ending the stream; a seek without a flush then continues the running time.
final class ClipLoop: Sendable {
    private let demuxer: Element
    private let streamsKnown = DispatchSemaphore(value: 0)
    private let roundBegan = Mutex(ClockReading.now)

    /// A still image is over at once, and would begin again as often as the machine can decode it.
    private static let shortestRoundMs = 100.0

    /// `demuxer` emits `no-more-pads`, as `decodebin` does, and its bin is not playing yet.
    init(around demuxer: Element) {
        self.demuxer = demuxer
        demuxer.watch("no-more-pads") { [streamsKnown] _ in streamsKnown.signal() }
    }

    /// Waits until the file's streams are known and starts the first round; called while paused.
    ///
    /// Blocks. If it fails, the file plays once and has to be opened again.
    func begin() {
        guard streamsKnown.wait(timeout: .now() + .seconds(5)) == .success else { return }
        // tsdemux 1.22 knows no such seeks, and stands still after one: it begins a flush and does not end it.
        guard demuxer.child(madeBy: "tsdemux") == nil else { return }
        // At the end of a round, videorate 1.26 sends the frame of a still image once more.
        pad?.dropEndOfSegment { [weak self] in self?.isEarly ?? false }
        // The capture is not linked yet, so the flush cannot reach it.
        seek(flushing: true)
    }

    /// Stops waiting: the file cannot be played.
    func abandon() { streamsKnown.signal() }

    /// Starts the next round, after `SEGMENT_DONE`; a little later if the last one was very short.
    func again() {
        guard isEarly else { return seek(flushing: false) }
        let next = DispatchTime.now() + .milliseconds(Int((Self.shortestRoundMs - passedMs).rounded(.up)))
        DispatchQueue.global().asyncAfter(deadline: next) { [weak self] in self?.seek(flushing: false) }
    }

    private var pad: Pad? { try? demuxer.pad("src_0") }

    /// How long the present round has taken, in ms.
    private var passedMs: Double { roundBegan.withLock { ClockReading.now - $0 } / .milliseconds(1) }

    /// Whether the present round has been shorter than a round may be.
    private var isEarly: Bool { passedMs < Self.shortestRoundMs }

    private func seek(flushing: Bool) {
        roundBegan.withLock { $0 = .now }
        pad?.seekToStart(flushing: flushing)
    }
}
