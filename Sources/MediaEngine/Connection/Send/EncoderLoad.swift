/// Which part of the captured frames is sent while the machine is too slow to encode all of them.
///
/// A frame that still waits for the encoder when the next one comes is dropped, so motion becomes uneven. Smaller or fewer frames take less time. A step
/// down takes six seconds of it, so that a busy moment costs nothing; a step up takes longer, and longer each time that it was a mistake. A pure value; times are in s.
struct EncoderLoad: Sendable {
    private static let window = 2.0
    /// So many windows in a row lack more frames than this share.
    private static let windows = 3
    private static let tooMany = 0.1
    /// How long hardly any frame is missing before a step up.
    private static let calmTimes = 20.0...160.0
    private static let few = 0.02
    /// A step up that is taken back within this time was a mistake.
    private static let trial = 30.0
    /// Nothing is known about a pause.
    private static let longestPause = 1.0

    private let steps: [VideoLadder.Step]
    private var index = 0
    private var begin: Double?
    private var latest = 0.0
    private var (arrived, dropped) = (0, 0)
    private var slowWindows = 0
    private var calmSince: Double?
    private var calmTime = Self.calmTimes.lowerBound
    private var lastUp: Double?

    var step: VideoLadder.Step { steps[index] }

    init(_ preference: DegradationPreference) { steps = VideoLadder.steps(preference) }

    /// A frame was dropped because the encoder was busy.
    mutating func noteDropped() { dropped += 1 }

    /// A frame reaches the encoder.
    ///
    /// - Returns: The step to take now; nil: no change.
    mutating func noteFrame(of capture: VideoLadder.Capture, at now: Double) -> VideoLadder.Step? {
        defer { latest = now }
        guard let begin, now - latest <= Self.longestPause else {
            startOver(at: now)
            return nil
        }
        arrived += 1
        guard now - begin >= Self.window else { return nil }
        let missing = Double(dropped) / Double(arrived + dropped)
        let isSingle = dropped == 1
        (self.begin, arrived, dropped) = (now, 0, 0)
        slowWindows = missing > Self.tooMany ? slowWindows + 1 : 0
        calmSince = missing <= Self.few || isSingle ? calmSince ?? begin : nil
        if slowWindows == Self.windows { return down(capture, at: now) }
        if index > 0, let calmSince, now - calmSince >= calmTime { return up(at: now) }
        return nil
    }

    private mutating func startOver(at now: Double) {
        (begin, arrived, dropped, slowWindows, calmSince) = (now, 0, 0, 0, nil)
    }

    private mutating func down(_ capture: VideoLadder.Capture, at now: Double) -> VideoLadder.Step? {
        startOver(at: now)
        guard let next = steps.indices.dropFirst(index + 1).first(where: { capture.allows(steps[$0]) }) else {
            return nil
        }
        let isMistake = lastUp.map { now - $0 < Self.trial } ?? false
        calmTime = isMistake ? min(calmTime * 2, Self.calmTimes.upperBound) : Self.calmTimes.lowerBound
        (index, lastUp) = (next, nil)
        return step
    }

    private mutating func up(at now: Double) -> VideoLadder.Step {
        startOver(at: now)
        (index, lastUp) = (index - 1, now)
        return step
    }
}
