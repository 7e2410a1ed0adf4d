public import CallProtocol

/// What a ``CallHook`` is told of a call.
///
/// What the peer said of itself in it is not checked.
public struct CallFacts: Sendable, Equatable {
    /// The call's id.
    public var callId: String
    /// Which end this is.
    public var role: CallRole
    /// This end's user.
    public var user: String
    /// The other end's user.
    public var peer: String
    /// What the caller calls itself, for people; nil at the caller.
    public var callerDisplayName: String?
    /// The caller's address, for people; nil at the caller.
    public var callerAddress: String?
    /// The room of the call.
    public var room: String?
    /// What the call has.
    public var media: CallMedia
    /// When it began, in ms since 1970.
    public var startedUnixMs: Double
    /// How it ended; nil before its end.
    public var end: CallEnd?
    /// How long it was connected, in ms; nil when it was not.
    public var connectedMs: Double?
}
