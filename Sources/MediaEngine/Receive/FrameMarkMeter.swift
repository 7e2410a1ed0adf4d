/// Compares the marks of decoded frames: which are missing, repeated, out of order, and how old they are.
///
/// A value without a clock.
struct FrameMarkMeter: Sendable {
    private var marked = 0
    private var missing = 0
    private var repeated = 0
    private var reordered = 0
    /// How many frames had which delay in ms.
    private var delays: [Int: Int] = [:]
    /// The highest number so far, and the last one; nil when the next frame begins a new sequence.
    private var highest: UInt32?
    private var last: UInt32?

    /// A greater step between two numbers is a pause or another source.
    private static let longestStep = 300
    /// In ms: what seems to be older, or from the future, was no mark, or the clocks do not agree at all.
    private static let longestDelay = 60_000

    /// Takes the mark of the next frame, decoded at `now`, in ms since 1970 modulo 2^32; nil: it has none.
    mutating func add(_ mark: FrameMark?, at now: UInt32) {
        guard let mark else { return interrupt() }
        let delay = Int(Int32(bitPattern: now &- mark.time))
        guard abs(delay) <= Self.longestDelay else { return interrupt() }
        marked += 1
        delays[delay, default: 0] += 1
        defer { last = mark.number }
        guard let highest else {
            self.highest = mark.number
            return
        }
        let step = Self.step(from: highest, to: mark.number)
        if mark.number == last {
            repeated += 1
        } else if abs(step) > Self.longestStep {
            self.highest = mark.number
        } else if step > 0 {
            missing += step - 1
            self.highest = mark.number
        } else {
            reordered += 1
            // It was missed when a later one came.
            missing = max(0, missing - 1)
        }
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
        let sorted = delays.sorted { $0.key < $1.key }
        guard let least = sorted.first, let most = sorted.last else { return }
        quality.delayMs = VideoQuality.Distribution(
            min: Double(least.key), median: Double(Self.quantile(0.5, sorted, marked)),
            p95: Double(Self.quantile(0.95, sorted, marked)), max: Double(most.key))
    }

    /// The least delay that this part of all frames does not exceed.
    private static func quantile(_ part: Double, _ sorted: [(key: Int, value: Int)], _ count: Int) -> Int {
        var rest = (part * Double(count)).rounded(.up)
        for (delay, frames) in sorted {
            rest -= Double(frames)
            if rest <= 0 { return delay }
        }
        return sorted.last?.key ?? 0
    }

    /// The step from one number to another, which may have begun again meanwhile.
    private static func step(from: UInt32, to: UInt32) -> Int {
        let forward = (to &- from) & (FrameMark.numbers - 1)
        return forward < FrameMark.numbers / 2 ? Int(forward) : Int(forward) - Int(FrameMark.numbers)
    }
}
