internal import Synchronization

/// The search for candidates may never end.
///
/// libnice forgets a TURN server over TCP when its connection breaks, and with it the timer that would have ended the search
/// (`discovery_prune_socket` in `discovery.c`, the same in 0.1.23; no upstream issue); `webrtcbin` itself now and then loses the end
/// (https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/10206). So the search counts as over after
/// ``TransportTuning/gatheringMs`` at the latest; candidates that come later are told all the same.
final class EndlessGathering: Workaround, Sendable {
    static let mendedIn: GStreamerVersion? = nil

    private let isOver = Mutex(false)
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// Tells of the end, once.
    func end() {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { onEnd() }
    }
}
