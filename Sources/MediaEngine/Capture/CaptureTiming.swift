/// How long a capture waits for what.
struct CaptureTiming: Sendable {
    /// A source that is used and gives nothing for so long counts as lost.
    var silence = Duration.seconds(5)
    /// The first attempt to open a lost source again comes after this time, each further one after twice as long.
    var firstRetry = Duration.milliseconds(500)
    /// The longest time between two attempts.
    var longestRetry = Duration.seconds(5)
    /// So long a device is waited for that is being closed.
    var longestStop = Duration.seconds(5)
}
