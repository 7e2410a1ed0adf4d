/// Counts freezes of the video, as W3C's `freezeCount` does (https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-freezecount).
///
/// A freeze is a gap between two decoded frames of at least three times the mean of the 30 gaps before, and at least 150 ms more than it.
/// Unlike there, video that stops and stays away is frozen, too.
struct FreezeMeter: Sendable {
    private static let window = 30
    /// A last frame that is younger, in s, may be the last one of the call: its end takes a while to arrive.
    private static let shortestEnd = 1.0

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

    /// Takes the time of the next frame; if it `follows` none, the time before it is a pause.
    mutating func add(at instant: ClockReading, follows: Bool = true) {
        defer { (last, begin) = (instant, instant) }
        guard follows, let last, last == begin else { return }
        let gap = (instant - last) / .seconds(1)
        note(gap)
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

    /// With the time since the last frame, or since the end of a pause after it, but not more than `most`.
    func ending(at instant: ClockReading, atMost most: Duration?) -> FreezeMeter {
        guard let begin else { return self }
        var gap = instant - begin
        if let most { gap = min(gap, most) }
        var total = self
        if gap >= .seconds(Self.shortestEnd) { total.note(gap / .seconds(1)) }
        return total
    }
}
