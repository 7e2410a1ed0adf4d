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
