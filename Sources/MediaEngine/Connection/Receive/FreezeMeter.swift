/// Counts freezes of the video, as W3C's `freezeCount` does (https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-freezecount).
///
/// A freeze is a gap between two decoded frames of at least three times the mean of the 30 gaps before, and at least 150 ms more than it.
/// Unlike there, video that stops and stays away is frozen, too.
struct FreezeMeter: Sendable {
    private static let window = 30
    /// A last frame that is younger, in s, may be the last one of the call: its end takes a while to arrive.
    private static let shortestEnd = 2.0

    /// The number of freezes.
    private(set) var count = 0
    /// The total duration of the gaps, in s.
    private(set) var duration = 0.0
    /// The duration of the longest one, in s; 0 without a freeze.
    private(set) var longest = 0.0
    private var gaps: [Double] = []
    private var last: ClockReading?
    /// Since when the next frame is awaited: the last one, or the end of a pause.
    private var begin: ClockReading?

    /// Frames per second over the remembered gaps; 0 when the last frame is more than a second old; nil before the second frame.
    func framesPerSecond(at now: ClockReading) -> Double? {
        let sum = gaps.reduce(0, +)
        guard sum > 0, let last else { return nil }
        return now - last > .seconds(1) ? 0 : Double(gaps.count) / sum
    }

    /// How long the next frame has been awaited.
    func wait(at instant: ClockReading) -> Duration { begin.map { instant - $0 } ?? .zero }

    /// Takes the time of the next frame, which was to come for `live` of ``wait(at:)``; nil: all of it.
    mutating func add(at instant: ClockReading, live: Duration? = nil) {
        defer { (last, begin) = (instant, instant) }
        guard let last, last == begin else {
            self = ending(at: instant, live: live)
            return
        }
        let gap = (instant - last) / .seconds(1)
        let frozen = min(gap, live.map { $0 / .seconds(1) } ?? gap)
        note(frozen)
        // A pause says nothing about the rate of the frames.
        guard gap - frozen < Self.shortestEnd else { return }
        gaps.append(gap)
        if gaps.count > Self.window { gaps.removeFirst() }
    }

    private mutating func note(_ gap: Double) {
        let mean = gaps.reduce(0, +) / Double(max(1, gaps.count))
        guard !gaps.isEmpty, gap >= max(3 * mean, mean + 0.15) else { return }
        count += 1
        duration += gap
        longest = max(longest, gap)
    }

    /// The video pauses, or goes on after a pause: the next frame follows none.
    mutating func interrupt(at instant: ClockReading) { begin = instant }

    /// With the time until now as a freeze, if frames were to come for `live` of ``wait(at:)``; nil: all of it.
    func ending(at instant: ClockReading, live: Duration? = nil) -> FreezeMeter {
        let wait = wait(at: instant)
        let frozen = min(wait, live ?? wait) / .seconds(1)
        var total = self
        if frozen >= Self.shortestEnd { total.note(frozen) }
        return total
    }
}
