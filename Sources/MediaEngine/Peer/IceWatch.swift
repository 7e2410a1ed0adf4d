internal import Synchronization

/// What the states of ICE mean for a connection.
///
/// Only whether a pair of addresses is found. One that stops working later is silence, which has its own rule: with libnice 0.1.22 and GStreamer 1.24
/// ICE calls it failed when its peer has answered nothing for 30 s (RFC 7675), and nothing flows from then on; older ones never do.
final class IceWatch: Sendable {
    private let wasConnected = Mutex(false)

    /// Values of `GstWebRTCICEConnectionState`.
    enum State {
        static let connected = 2
        static let completed = 3
        static let failed = 4
    }

    /// What to tell about the state that `webrtcbin` has now; nil for nothing.
    func event(for state: Int?) -> PeerConnectionEvent.Kind? {
        switch state {
        case State.connected, State.completed:
            wasConnected.withLock { $0 = true }
            return .iceConnected
        case State.failed where !wasConnected.withLock({ $0 }):
            return .failed(.transportFailed(text: "ICE found no pair of addresses that works"))
        default: return nil
        }
    }
}
