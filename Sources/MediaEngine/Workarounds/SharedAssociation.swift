internal import Synchronization

/// Two connections of a process may share one SCTP association by mistake.
///
/// `webrtcbin` picks the association's number at random out of 65536, without checking for others. `sctpenc` and `sctpdec` find each other by it, and
/// so may find those of another call (upstream https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/8607, 1.28). The table of
/// associations belongs to the process, and so does this list of numbers in use.
final class SharedAssociation: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = GStreamerVersion(1, 28)

    private static let used = Mutex<Set<UInt16>>([])
    let number: UInt16

    /// Reserves a unique number until it is released; nil when all are taken.
    init?() {
        let number = Self.used.withLock { used -> UInt16? in
            guard used.count < 60_000 else { return nil }
            while true {
                let number = UInt16.random(in: 1..<UInt16.max)
                if used.insert(number).inserted { return number }
            }
        }
        guard let number else { return nil }
        self.number = number
    }

    deinit { _ = Self.used.withLock { $0.remove(number) } }

    /// Sets the number at both ends of an association, before either is used.
    func number(_ element: Element) throws(MediaError) { try element.set("sctp-association-id", String(number)) }
}
