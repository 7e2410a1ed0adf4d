/// The timeouts of a capture.
struct CaptureTiming: Sendable {
    /// A source in use that delivers nothing for this long counts as lost.
    var silence = Duration.seconds(5)
    /// The delay before the first attempt to reopen a lost source; each further delay is twice as long.
    var firstRetry = Duration.milliseconds(500)
    /// The longest time between two attempts.
    var longestRetry = Duration.seconds(5)
    /// The longest wait for a device that is closing.
    var longestStop = Duration.seconds(5)
}
