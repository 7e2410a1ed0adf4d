/// Everything that one end knows of a call.
public struct CallReport: Sendable, Equatable {
    /// The call's id, the same at both ends.
    public var callId: String
    /// Which end this is.
    public var role: CallRole
    /// This end's user.
    public var user: String
    /// The other end's user.
    public var peer: String
    /// What the call had.
    public var media: CallMedia
    /// Where it is.
    public var state: CallState
    /// How it ended; nil while it has not.
    public var end: CallEnd?
    /// When what happened.
    public var timeline: CallTimeline
    /// When the callee called `accept()`; nil when it did not.
    ///
    /// Measured at the callee. At the caller it is taken from the message's time, which is right as far as the two clocks agree.
    public var acceptedAtCallee: ContinuousClock.Instant?
    /// What was sent and received.
    public var statistics: MediaReport
}
