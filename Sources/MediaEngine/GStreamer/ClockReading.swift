internal import CGStreamer

/// A time on the monotonic clock, as a plain number: cheap enough to record for every packet.
///
/// The layout of `ContinuousClock.Instant` is only known at run time, so code that keeps one is slow. Figures that use this clock leave out the time
/// while the machine sleeps.
struct ClockReading: Sendable, Comparable {
    /// Counts from a moment before the process began.
    let nanoseconds: Int64

    static var now: ClockReading { ClockReading(nanoseconds: Int64(gst_util_get_timestamp())) }

    static func < (one: ClockReading, other: ClockReading) -> Bool { one.nanoseconds < other.nanoseconds }

    static func - (end: ClockReading, begin: ClockReading) -> Duration {
        .nanoseconds(end.nanoseconds - begin.nanoseconds)
    }

    static func + (begin: ClockReading, time: Duration) -> ClockReading {
        // A setting may be as long as its type allows.
        let (seconds, attoseconds) = min(max(time, .zero - longest), longest).components
        return ClockReading(nanoseconds: begin.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    static func - (end: ClockReading, time: Duration) -> ClockReading { end + (.zero - time) }

    /// A century; readings themselves are as old as the machine is up.
    private static let longest = Duration.seconds(100 * 365 * 86_400)
}
