/// Counts freezes of the video, as W3C's `freezeCount` does (https://www.w3.org/TR/webrtc-stats/#dom-rtcinboundrtpstreamstats-freezecount).
///
/// A freeze is a gap between two decoded frames of at least three times the mean of the 30 gaps before, and at least 150 ms more than it.
/// A sender that stops its video for a time counts as frozen once the video continues.
struct FreezeMeter: Sendable {
    private static let window = 30

    /// The number of freezes.
    private(set) var count = 0
    /// The total duration of the gaps, in s.
    private(set) var duration = 0.0
    /// The duration of the longest one, in s; 0 without a freeze.
    private(set) var longest = 0.0
    private var gaps: [Double] = []
    private var last: ClockReading?

    /// Frames per second over the remembered gaps; 0 when the last frame is more than a second old; nil before the second frame.
    func framesPerSecond(at now: ClockReading) -> Double? {
        let sum = gaps.reduce(0, +)
        guard sum > 0, let last else { return nil }
        return now - last > .seconds(1) ? 0 : Double(gaps.count) / sum
    }

    /// Takes the time of the next frame.
    mutating func add(at instant: ClockReading) {
        defer { last = instant }
        guard let last else { return }
        let gap = (instant - last) / .seconds(1)
        let mean = gaps.reduce(0, +) / Double(max(1, gaps.count))
        if !gaps.isEmpty, gap >= max(3 * mean, mean + 0.15) {
            count += 1
            duration += gap
            longest = max(longest, gap)
        }
        gaps.append(gap)
        if gaps.count > Self.window { gaps.removeFirst() }
    }
}
