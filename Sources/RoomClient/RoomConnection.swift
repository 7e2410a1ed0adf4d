internal import CallAgent

/// One connection of a room that carries media: its call, or the attempt to have one.
struct RoomConnection {
    /// What it is for.
    enum Purpose: Hashable, Sendable {
        case publication
        /// To receive the participant with this id.
        case participant(String)
    }

    /// Nil while it is tried or waits for the next attempt.
    var call: Call?
    /// Whether an attempt is under way: there is one at a time.
    var isTrying = false
    /// The number of that attempt: a former one may still fail.
    var attempt = 0
    /// Whether nothing is tried any more: the application ended it, or failed connections are not made again.
    var isGivenUp = false
    /// Whether what is wanted changed during the attempt.
    var isOutdated = false
    /// How often it failed since it last worked.
    var failures = 0
    /// Waits for the next attempt.
    var waiting: Task<Void, Never>?

    /// Until the next attempt after so many failures: 1 s to 30 s.
    var pause: Duration { min(.seconds(1 << min(failures, 5)), .seconds(30)) }
}
