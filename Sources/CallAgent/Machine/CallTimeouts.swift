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
    /// For ``CallTimer/fork``.
    public var forkMs = 300
    /// For ``CallTimer/change``.
    public var changeMs = 10_000
    /// For ``CallTimer/audioGrace``; nil waits for the picture however long the sound has been there.
    public var audioGraceMs: Int?

    /// Makes the documented defaults (`docs/call-states.md`).
    public init() {}

    /// Nil for a timer that is not to run.
    func milliseconds(_ timer: CallTimer) -> Int? {
        switch timer {
        case .ring: ringMs
        case .connect: connectMs
        case .mediaLost: mediaLostMs
        case .peerGone: peerGoneMs
        case .fork: forkMs
        case .change: changeMs
        case .audioGrace: audioGraceMs
        }
    }
}
