/// Compares the marks of decoded frames: which are missing, repeated, out of order, and how old they are.
///
/// A value without a clock.
struct FrameMarkMeter: Sendable {
    private var marked = 0
    private var missing = 0
    private var repeated = 0
    private var reordered = 0
    private var delays = FigureCounts()
    /// Of the latest frame with a mark, in ms.
    private(set) var latestDelay: Double?
    private var psnr = FigureCounts(stepsPerUnit: 10)
    private var similarity = FigureCounts(stepsPerUnit: 1_000)
    /// The mark with the highest number so far, and the last one; nil when the next frame begins a new sequence.
    private var highest: FrameMark?
    private var last: FrameMark?
    /// The frames without a mark since the last one that had one, and when the first of them was decoded.
    private var unmarked = 0
    private var unmarkedSince: UInt32 = 0

    /// A greater step between two numbers is a pause or another source.
    private static let longestStep = 300
    /// A longer time between two marks is a pause, in ms.
    private static let longestGap = 10_000
    /// Frames that have had no mark for so long, in ms, are muted video or another source; fewer were damaged.
    private static let longestDamage = 250
    private static let comparedFrames = 10
    /// In ms: what seems to be older, or from the future, was no mark, or the clocks do not agree at all.
    private static let longestDelay = 60_000

    /// Takes the mark of the next frame, decoded at `now`, in ms since 1970 modulo 2^32, and shown `waitMs` later; nil: it has none.
    ///
    /// - Returns: How old the frame is, in ms; nil if it does not continue the sequence.
    @discardableResult
    mutating func add(_ mark: FrameMark?, at now: UInt32, shownIn waitMs: Double = 0) -> Int? {
        guard let mark, abs(mark.age(at: now)) <= Self.longestDelay else {
            addUnmarked(at: now)
            return nil
        }
        marked += 1
        let delay = Double(mark.age(at: now)) + waitMs
        delays.add(delay)
        latestDelay = delay
        defer { (last, unmarked) = (mark, 0) }
        guard let highest, !isNewSequence(mark, after: highest) else {
            self.highest = mark
            return nil
        }
        let step = Self.step(from: highest.number, to: mark.number)
        if mark == last {
            repeated += 1
        } else if step > 0 {
            missing += max(0, step - 1 - unmarked)
            self.highest = mark
        } else {
            reordered += 1
            // It was missed when a later one came.
            missing = max(0, missing - 1)
        }
        return mark.age(at: now)
    }

    /// Whether the next marked frame should be compared with what it should look like: one in ``comparedFrames`` is.
    var isComparing: Bool { marked % Self.comparedFrames == 0 }

    mutating func add(_ difference: ReferenceBand.Difference) {
        psnr.add(difference.psnr)
        similarity.add(difference.similarity)
    }

    private mutating func addUnmarked(at now: UInt32) {
        if unmarked == 0 { unmarkedSince = now }
        unmarked += 1
        if Self.difference(unmarkedSince, now) > Self.longestDamage { interrupt() }
    }

    private func isNewSequence(_ mark: FrameMark, after highest: FrameMark) -> Bool {
        let step = Self.step(from: highest.number, to: mark.number)
        let gap = Self.difference(highest.time, mark.time)
        // A later frame with a lower number is of another source.
        return abs(step) > Self.longestStep || gap > Self.longestGap || step < 0 && gap > 0
    }

    /// The next frame begins a new sequence: what was not to arrive is not missing.
    mutating func interrupt() { (highest, last) = (nil, nil) }

    /// Fills in what was measured; nothing without a mark.
    func report(into quality: inout VideoQuality) {
        guard marked > 0 else { return }
        quality.framesMarked = marked
        quality.framesMissing = missing
        quality.framesRepeated = repeated
        quality.framesReordered = reordered
        quality.delayMs = delays.distribution
        (quality.psnrDb, quality.ssim) = (psnr.distribution, similarity.distribution)
    }

    /// The ms from one time to another, both modulo 2^32.
    private static func difference(_ from: UInt32, _ to: UInt32) -> Int { Int(Int32(bitPattern: to &- from)) }

    /// The step from one number to another, which may have begun again meanwhile.
    private static func step(from: UInt32, to: UInt32) -> Int {
        let forward = (to &- from) & (FrameMark.numbers - 1)
        return forward < FrameMark.numbers / 2 ? Int(forward) : Int(forward) - Int(FrameMark.numbers)
    }
}
