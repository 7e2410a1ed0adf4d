internal import Dispatch

/// Plays a file for ever without a gap: pictures and sound begin anew together.
///
/// A *segment* seek has the demuxer say `SEGMENT_DONE` instead of ending the stream; one without a flush then goes on with the running time.
final class ClipLoop: Sendable {
    private let demuxer: Element
    private let streamsKnown = DispatchSemaphore(value: 0)

    /// `demuxer` has `no-more-pads`, such as `decodebin`, and its bin is not playing yet.
    init(around demuxer: Element) {
        self.demuxer = demuxer
        demuxer.watch("no-more-pads") { [streamsKnown] _ in streamsKnown.signal() }
    }

    /// Waits until the streams of the file are known and asks for the first round; called while paused.
    ///
    /// Blocks. Without success the file ends once, and has to be opened again.
    func begin() {
        guard streamsKnown.wait(timeout: .now() + .seconds(5)) == .success else { return }
        // Nothing is linked to the capture yet that the flush could reach.
        seek(flushing: true)
    }

    /// Does not wait any more: the file cannot be played.
    func abandon() { streamsKnown.signal() }

    /// Goes on with the next round, after `SEGMENT_DONE`.
    func again() { seek(flushing: false) }

    private func seek(flushing: Bool) { (try? demuxer.pad("src_0"))?.seekToStart(flushing: flushing) }
}
