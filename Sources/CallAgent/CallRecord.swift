/// One line of a call's history: what was said, what the media reported, what the user did.
public struct CallRecord: Sendable, Equatable {
    /// What it is about.
    public enum Kind: String, Sendable, Equatable, Codable {
        /// This end's user did something.
        case user
        /// A message went out.
        case sent
        /// A message came in.
        case received
        /// The media reported something.
        case media
        /// Signaling was lost or is back, or a timer ran out.
        case other
    }

    /// When, in ms from the start of the call.
    public let milliseconds: Double
    /// What it is about.
    public let kind: Kind
    /// What happened, in the words of `docs/signaling.md` and `docs/call-states.md`.
    public let action: String
}
