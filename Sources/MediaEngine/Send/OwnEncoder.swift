internal import Dispatch
internal import Synchronization

/// The encoder of one track, with the capture that feeds it.
///
/// While a ``SharedEncoder`` makes what the track sends, it gets nothing and its thread ends.
final class OwnEncoder: Sendable {
    private struct State {
        var isWanted = false
        /// Whether a shared encoder makes what is sent.
        var isReplaced = false
    }
    private let state = Mutex(State())
    private let kind: MediaKind
    private let proxy: Element
    private let feed: CaptureFeed
    private let queue: DispatchQueue
    let sink: Pad
    let source: Pad

    /// `proxy` is the `proxysrc` in front of `element`; `queue` is the track's own.
    init(
        _ kind: MediaKind, _ element: Element, behind proxy: Element, feed: CaptureFeed, queue: DispatchQueue
    ) throws(MediaError) {
        (self.kind, self.proxy, self.feed, self.queue) = (kind, proxy, feed, queue)
        sink = try element.pad("sink")
        source = try element.pad("src")
    }

    /// Makes the next frame a key frame; nothing for audio.
    func forceKeyFrame() { if kind == .video { source.forceKeyFrame() } }

    /// Starts or stops to need captured media, in the background.
    func want(_ isWanted: Bool) {
        state.withLock { $0.isWanted = isWanted }
        supply()
    }

    /// A shared encoder makes what is sent, or does not any more; from any thread.
    func setReplaced(_ isReplaced: Bool) {
        queue.async { [weak self] in
            guard let self else { return }
            state.withLock { $0.isReplaced = isReplaced }
            if isReplaced {
                supply()
                rest()
            } else {
                // It cannot fail: nothing of it is new.
                try? proxy.syncStateWithParent()
                forceKeyFrame()
                supply()
            }
        }
    }

    private func supply() { feed.want(state.withLock { $0.isWanted && !$0.isReplaced }) }

    /// Ends the thread, once it gets nothing.
    private func rest() {
        Task { [weak self, feed] in
            await feed.settle()
            self?.stopIfReplaced()
        }
    }

    private func stopIfReplaced() {
        queue.async { [weak self] in
            guard let self, state.withLock({ $0.isReplaced }) else { return }
            try? proxy.setState(.ready)
        }
    }
}
