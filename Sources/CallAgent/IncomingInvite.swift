public import CallProtocol

/// What is known of a call that comes in, before it rings.
public struct IncomingInvite: Sendable, Equatable {
    /// The call's id.
    public var callId: String
    /// Who calls.
    public var peer: String
    /// What the caller calls itself, for people.
    public var displayName: String?
    /// The caller's address, for people.
    public var address: String?
    /// What the caller wants.
    public var media: CallMedia
    /// The room of the call.
    public var room: String?
    /// Data of the caller's application.
    public var extensionData: [String: String]
}

/// What becomes of a call that comes in.
public enum InviteDecision: Sendable, Equatable {
    /// It rings; nil goes by ``CallAgentConfiguration/earlyMedia``.
    case ring(EarlyMediaPolicy? = nil)
    /// Its caller is told `reject` with this code, and nothing else: no `ringing`, no hook, no call.
    ///
    /// 603 is "declined" and ends the ringing at all devices of the user; 486 is "busy" and about this device alone. A code outside
    /// `SignalingLimits.codes` is sent as 603, and the text is cut to `SignalingLimits.textBytes` bytes.
    case refuse(code: Int = EndReason.localRejected.code, text: String = "")
}
