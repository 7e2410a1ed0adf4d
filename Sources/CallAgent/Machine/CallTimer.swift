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
    /// From the refusal of one device of the callee, for the others to ring.
    case fork
    /// From the begin of a change of media until both ends have committed.
    case change
    /// From the first sound of an accepted call until it counts as connected without pictures.
    case audioGrace
}
