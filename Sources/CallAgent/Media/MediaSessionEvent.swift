/// What happened to the media, and when: taken where it happened, not where it was noticed.
public struct MediaSessionEvent: Sendable, Equatable {
    /// When.
    public let at: ContinuousClock.Instant
    /// What, in the words of the rules.
    public let fact: MediaFact

    /// Makes an event.
    public init(_ fact: MediaFact, at: ContinuousClock.Instant = .now) {
        self.fact = fact
        self.at = at
    }
}
