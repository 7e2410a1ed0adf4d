/// Why the state of a call changed.
public enum ChangeReason: Sendable, Equatable {
    /// This end placed the call.
    case placed
    /// The peer invited.
    case invited
    /// The callee's device rings.
    case ringing
    /// The callee took the call.
    case accepted
    /// The peer called as well, and both ends keep its call; nobody has to accept.
    case glare
    /// The first picture (or sound, in a call without pictures) of the peer was decoded.
    case firstFrame
    /// Nothing of the peer arrives.
    case interrupted
    /// The peer's media is back.
    case resumed
    /// The call ended.
    case ended(EndReason)
}
