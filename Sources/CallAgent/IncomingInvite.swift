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
