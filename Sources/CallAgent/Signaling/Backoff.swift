/// The pauses between reconnection attempts: they double up to a bound and are spread at random.
package struct Backoff: Sendable, Equatable {
    private let shortest: Duration
    private let longest: Duration
    private var next: Duration

    package init(shortest: Duration, longest: Duration) {
        self.shortest = min(shortest, longest)
        self.longest = longest
        next = self.shortest
    }

    /// The next pause.
    ///
    /// `chance` is in 0...1 and takes away up to half of it: the clients of a server that comes back should not all connect at the same moment.
    package mutating func pause(chance: Double) -> Duration {
        defer { next = min(next * 2, longest) }
        return Self.spread(next, chance)
    }

    /// The longest pause at once, for failures that will hardly improve soon.
    package mutating func longestPause(chance: Double) -> Duration {
        next = longest
        return pause(chance: chance)
    }

    /// The connection is back.
    package mutating func reset() { next = shortest }

    private static func spread(_ pause: Duration, _ chance: Double) -> Duration {
        pause * (1 - min(max(chance, 0), 1) / 2)
    }
}
