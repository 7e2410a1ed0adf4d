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

    /// A shared encoder makes what is sent, or is not to do so any more; only on the queue.
    func setReplaced(_ isReplaced: Bool) {
        guard state.withLock({ $0.isReplaced }) != isReplaced else { return }
        // It cannot fail: nothing of it is new.
        if !isReplaced { try? proxy.syncStateWithParent() }
        state.withLock { $0.isReplaced = isReplaced }
        supply()
        guard isReplaced else { return }
        // Its thread ends once it gets nothing.
        Task { [weak self] in
            await self?.waitForRequests()
            self?.stopIfReplaced()
        }
    }

    /// Returns when it has its source, or has lost it, as was requested so far.
    func waitForRequests() async { await feed.waitForRequests() }

    /// Under the lock: the last request counts.
    private func supply() { state.withLock { feed.want($0.isWanted && !$0.isReplaced) } }

    private func stopIfReplaced() {
        queue.async { [weak self] in
            guard let self, state.withLock({ $0.isReplaced }) else { return }
            try? proxy.setState(.ready)
        }
    }
}
