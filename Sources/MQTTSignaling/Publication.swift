internal import CallProtocol

/// A message to publish.
struct Publication: Sendable, Equatable {
    /// What follows when the broker does not hand it on.
    enum Refusal: Sendable, Equatable {
        /// The agent gets an error about this message.
        case report(SignalingMessage)
        /// The invite of this call goes to another member of the pool.
        case passOn(CallKey)
    }

    var text: String
    var topic: String
    /// How long the broker may keep it; nil: without limit.
    var expirySeconds: UInt32?
    var ifRefused: Refusal
}
