/// What an application wants done when a call rings, is connected and is over: a command, a webhook, a lamp.
///
/// On Linux it stands for what wakes an application up elsewhere. The methods are called on the call's own executor, in order, and
/// must return at once; the call does not wait for what they start.
public protocol CallHook: Sendable {
    /// The callee's device rings: this one at the callee, the other one at the caller.
    func callRings(_ call: CallFacts)
    /// The call is connected: both ends accepted it, and the first frame of the peer was decoded. Once for each call.
    func callConnected(_ call: CallFacts)
    /// The call is over, whether it rang or not.
    func callEnded(_ call: CallFacts)
}

extension CallHook {
    /// Does nothing.
    public func callConnected(_ call: CallFacts) {}
}
