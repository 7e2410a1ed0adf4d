/// How long an agent tries to deliver a message, in ms (`docs/signaling.md`).
public struct DeliveryTiming: Sendable, Equatable {
    /// The first pause before a message is repeated; it doubles each time (RFC 3261 T1).
    public var firstRetryMs = 500
    /// The longest pause (RFC 3261 T2).
    public var longestRetryMs = 4_000
    /// After this time a message that ends a call, or that belongs to no call, is given up (RFC 3261: 64 times T1).
    ///
    /// An invite is given up after its ring timeout; every other message when its call ends.
    public var expiryMs = 32_000
    /// How long the messages of a call are remembered after the last one, to recognize duplicates.
    public var memoryMs = 600_000

    /// Makes the documented defaults.
    public init() {}
}
