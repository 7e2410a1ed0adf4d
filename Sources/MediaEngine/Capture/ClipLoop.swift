internal import Dispatch

/// Plays a file in a loop without a gap: video and audio restart together.
///
/// After a *segment* seek the demuxer sends `SEGMENT_DONE` instead of ending the stream; a seek without a flush then continues the running time.
final class ClipLoop: Sendable {
    private let demuxer: Element
    private let streamsKnown = DispatchSemaphore(value: 0)

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
        // The capture is not linked yet, so the flush cannot reach it.
        seek(flushing: true)
    }

    /// Stops waiting: the file cannot be played.
    func abandon() { streamsKnown.signal() }

    /// Starts the next round, after `SEGMENT_DONE`.
    func again() { seek(flushing: false) }

    private func seek(flushing: Bool) { (try? demuxer.pad("src_0"))?.seekToStart(flushing: flushing) }
}
