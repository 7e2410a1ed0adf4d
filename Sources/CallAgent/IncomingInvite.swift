public import CallProtocol

/// An incoming call before it rings.
public struct IncomingInvite: Sendable, Equatable {
    /// The call's id.
    public var callId: String
    /// The calling user.
    public var peer: String
    /// The caller's display name.
    public var displayName: String?
    /// The caller's address, for display.
    public var address: String?
    /// What the caller wants.
    public var media: CallMedia
    /// The room of the call.
    public var room: String?
    /// Data of the caller's application.
    public var extensionData: [String: String]
}

/// The decision about an incoming call.
public enum InviteDecision: Sendable, Equatable {
    /// It rings; nil uses ``AgentConfiguration/earlyMedia``.
    case ring(EarlyMediaPolicy? = nil)
    /// The caller gets `reject` with this code and nothing else: no `ringing`, no hook, no call.
    ///
    /// 603 is "declined" and ends the ringing at all devices of the user. 486 is "busy" and concerns this device only. A code
    /// outside `SignalingLimits.codes` is sent as 603, and the text is cut to `SignalingLimits.textBytes` bytes.
    case refuse(code: Int = EndReason.localRejected.code, text: String = "")
}
