internal import Synchronization

/// When the last packet of the peer arrived, of whatever kind: media, RTCP or DTLS.
final class PacketActivity: Sendable {
    private let last: Mutex<ContinuousClock.Instant?> = Mutex(nil)

    /// Nil while nothing has arrived.
    var lastArrival: ContinuousClock.Instant? { last.withLock { $0 } }

    /// Notes every packet that comes out of `source`, a `nicesrc`.
    func watch(_ source: Element) throws(MediaError) {
        try source.pad("src").probe { [weak self] _ in
            self?.last.withLock { $0 = .now }
            return .pass
        }
    }
}
