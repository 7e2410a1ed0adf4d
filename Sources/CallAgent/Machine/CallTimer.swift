/// The timers of a call.
///
/// Time is an event to the machine; the shell runs them.
public enum CallTimer: Sendable, Hashable, CaseIterable {
    /// From the invite until somebody accepts.
    case ring
    /// From the accept until the peer's first picture or sound.
    case connect
    /// From the interruption of a connected call until it is given up.
    case mediaLost
    /// From the loss of the peer's signaling, while there is no transport that could tell whether it lives.
    case peerGone
}

/// How long the timers of a call run, in ms.
public struct CallTimeouts: Sendable, Equatable {
    /// For ``CallTimer/ring``.
    public var ringMs = 30_000
    /// For ``CallTimer/connect``.
    public var connectMs = 10_000
    /// For ``CallTimer/mediaLost``.
    public var mediaLostMs = 30_000
    /// For ``CallTimer/peerGone``.
    public var peerGoneMs = 2_000

    /// Makes the documented defaults: 30 s, 10 s, 30 s and 2 s.
    public init() {}

    func milliseconds(_ timer: CallTimer) -> Int {
        switch timer {
        case .ring: ringMs
        case .connect: connectMs
        case .mediaLost: mediaLostMs
        case .peerGone: peerGoneMs
        }
    }
}
