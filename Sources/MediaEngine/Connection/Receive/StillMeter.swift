/// Measures for how long decoded frames do not differ, as those of a camera that hangs.
///
/// A value without a clock.
struct StillMeter: Sendable {
    /// The longest time from a frame to the last one in a row that is equal to it, in s.
    private(set) var longest = 0.0
    /// When the first of the present equal frames was decoded.
    private var since: ClockReading?

    /// Takes the time of the next frame, and whether it differs from the one before.
    mutating func add(at instant: ClockReading, isDistinct: Bool) {
        guard !isDistinct, let since else {
            since = instant
            return
        }
        longest = max(longest, (instant - since) / .seconds(1))
    }

    /// What comes next follows nothing.
    mutating func interrupt() { since = nil }
}
