/// What happened to the media, and when: taken where it happened, not where it was noticed.
public struct MediaSessionEvent: Sendable, Equatable {
    /// When.
    public let at: ContinuousClock.Instant
    /// What, in the words of the rules.
    public let event: CallMachine.Event

    /// Makes an event.
    public init(_ event: CallMachine.Event, at: ContinuousClock.Instant = .now) {
        self.event = event
        self.at = at
    }
}
