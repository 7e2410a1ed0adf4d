public import CallProtocol

/// An application's action when a call rings, is connected or ends: a command, a webhook, a lamp.
///
/// On Linux it replaces the service that wakes up an application on other systems. The methods are called in order on the call's
/// own executor. They must return at once; the call does not wait for what they start.
public protocol CallHook: Sendable {
    /// The callee's device rings: this device at the callee, the other one at the caller.
    func callRings(_ call: CallFacts)
    /// The call is connected: both ends accepted it, and the peer's first frame was decoded. Called once for each call.
    func callConnected(_ call: CallFacts)
    /// The call is over, whether it rang or not.
    func callEnded(_ call: CallFacts)
}

extension CallHook {
    /// Does nothing.
    public func callConnected(_ call: CallFacts) {}
}

/// The data about a call that a ``CallHook`` gets.
///
/// The fields that the peer sent about itself are not checked.
public struct CallFacts: Sendable, Equatable {
    /// The call's id.
    public var callId: String
    /// Which end this is.
    public var role: CallRole
    /// This end's user.
    public var user: String
    /// The other end's user.
    public var peer: String
    /// The caller's display name; nil at the caller.
    public var callerDisplayName: String?
    /// The caller's address, for display; nil at the caller.
    public var callerAddress: String?
    /// The room of the call.
    public var room: String?
    /// The media of the call.
    public var media: CallMedia
    /// When it began, in ms since 1970.
    public var startedUnixMs: Double
    /// How it ended; nil before its end.
    public var end: CallEnd?
    /// How long it was connected, in ms; nil when it was not.
    public var connectedMs: Double?
}
