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
    /// For ``CallTimer/iceRestart``.
    public var iceRestartMs = 3_000
    /// For ``CallTimer/audioGrace``; nil waits for the first video frame without this limit.
    public var audioGraceMs: Int?

    /// Makes the documented defaults (`docs/call-states.md`).
    public init() {}

    /// Nil for a timer that does not run.
    func milliseconds(_ timer: CallTimer) -> Int? {
        switch timer {
        case .ring: ringMs
        case .connect: connectMs
        case .mediaLost: mediaLostMs
        case .peerGone: peerGoneMs
        case .fork: forkMs
        case .change: changeMs
        case .audioGrace: audioGraceMs
        case .iceRestart: iceRestartMs
        }
    }
}

/// The timers of a call.
///
/// The ``Call`` runs the timers; the machine gets their ends as events.
public enum CallTimer: Sendable, Hashable, CaseIterable {
    /// From the invite until somebody accepts.
    case ring
    /// From the accept until the peer's first video or audio.
    case connect
    /// From the interruption of a connected call until it is given up.
    case mediaLost
    /// From the loss of the peer's signaling until the peer counts as gone, unless a message of the peer arrives.
    case peerGone
    /// From the refusal by one device of the callee until the other devices had time to ring.
    case fork
    /// From the beginning of a change of media until both ends have committed.
    case change
    /// From the first audio of an accepted call until it counts as connected without video.
    case audioGrace
    /// From the beginning of an ICE restart until it is tried again or given up.
    case iceRestart
}
