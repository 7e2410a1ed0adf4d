internal import CGStreamer

/// A time on the monotonic clock, as a plain number: cheap enough to record for every packet.
///
/// The layout of `ContinuousClock.Instant` is only known at run time, so code that keeps one is slow.
struct ClockReading: Sendable, Comparable {
    /// Counts from a moment before the process began; time while the machine sleeps does not count.
    let nanoseconds: Int64

    static var now: ClockReading { ClockReading(nanoseconds: Int64(gst_util_get_timestamp())) }

    static func < (one: ClockReading, other: ClockReading) -> Bool { one.nanoseconds < other.nanoseconds }

    static func - (end: ClockReading, begin: ClockReading) -> Duration {
        .nanoseconds(end.nanoseconds - begin.nanoseconds)
    }

    static func + (begin: ClockReading, time: Duration) -> ClockReading {
        let (seconds, attoseconds) = time.components
        return ClockReading(nanoseconds: begin.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    static func - (end: ClockReading, time: Duration) -> ClockReading { end + (.zero - time) }
}
