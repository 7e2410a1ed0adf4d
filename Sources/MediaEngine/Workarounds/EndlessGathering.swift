internal import Synchronization

/// Candidate gathering may never end.
///
/// When the connection to a TURN server over TCP breaks, libnice forgets the server, and with it the timer that would have ended gathering
/// (`discovery_prune_socket` in `discovery.c`, the same in 0.1.23; no upstream issue). `webrtcbin` itself sometimes loses the end
/// (https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/10206). So gathering counts as complete after ``TransportTuning/gatheringMs``
/// at the latest; later candidates are still signalled.
final class EndlessGathering: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    private let isOver = Mutex(false)
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// Reports the end, once.
    func end() {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { onEnd() }
    }
}
