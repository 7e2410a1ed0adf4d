/// Which part of the captured frames is sent when the path takes too few bits for all of them.
///
/// An encoder with too few bits for its frames makes blocks of them, and sends more than it may once its coarsest quantizer is reached. Smaller or fewer
/// frames need fewer bits. A step down takes up to two seconds; a step up takes longer, and longer each time that it was a mistake. A pure value.
struct VideoLadder: Sendable {
    struct Step: Sendable, Equatable {
        /// Of width and height.
        var scale = 1.0
        /// Every how many frames one is sent.
        var every = 1

        /// Its share of all pixels of a second.
        var share: Double { scale * scale / Double(every) }
    }

    /// What is captured.
    struct Capture: Sendable, Equatable {
        let width: Int
        let height: Int
        /// In frames a second.
        let rate: Double

        var pixelsPerSecond: Double { Double(width * height) * rate }

        /// The frames of a step; encoders need even sizes.
        func frames(_ step: Step) -> VideoAdaptation.Frames {
            func scaled(_ length: Int) -> Int {
                step.scale == 1 ? length : max(2, Int((Double(length) * step.scale / 2).rounded()) * 2)
            }
            return VideoAdaptation.Frames(
                width: scaled(width), height: scaled(height), rate: rate / Double(step.every))
        }

        /// Whether enough is left of the frames.
        func allows(_ step: Step) -> Bool {
            Double(min(width, height)) * step.scale >= smallestSide && rate / Double(step.every) >= lowestRate
        }
    }

    /// With fewer bits for each pixel, video becomes blocks.
    private static let fewestBits = 0.025
    /// What a key frame with much detail has at least for each pixel, in bits, and how long one may take on the path, in s.
    ///
    /// Frames of another size begin with one.
    private static let keyFrame = (bits: 0.5, seconds: 0.75)
    /// An encoder that makes so much more than it should cannot make less.
    private static let excess = 1.3
    /// An encoder that makes less than this share of what it may has simple video, and enough bits.
    private static let use = 0.7
    /// How long too much, or too few bits, last before a step down, in s.
    private static let excessTime = 2.0
    private static let blocksTime = 2.0
    /// The same with less than half of those bits: the next key frame would fill the path for seconds.
    private static let fewBlocksTime = 0.3
    /// Before a step up there must be room for so much more, for so long, in s.
    private static let room = 1.25
    private static let upTimes = 5.0...60.0
    /// When the path takes everything, in s.
    private static let freeTime = 1.0
    /// A step up that is taken back within this time, in s, was a mistake.
    private static let trial = 15.0
    /// For so many s a step needs what it needed: then the video may have changed.
    private static let memory = 60.0
    private static let longestPause = 3.0
    private static let smallestSide = 90.0
    private static let lowestRate = 5.0

    private let steps: [Step]
    private var index = 0
    /// What each step was seen to need at least, and when.
    private var needs: [Int: (kbit: Double, at: Double)] = [:]
    private var upTime = Self.upTimes.lowerBound
    private var lastUp: Double?
    private var latest: Double?
    private var excessSince: Double?
    private var blocksSince: Double?
    private var roomSince: Double?
    /// Whether an encoder that could not keep to `wantedKbit` brought the present step, and not the path.
    private var isForEncoder = false

    var step: Step { steps[index] }

    init(_ preference: DegradationPreference) { steps = Self.steps(preference) }

    /// All steps, the highest first.
    static func steps(_ preference: DegradationPreference) -> [Step] {
        switch preference {
        case .motion:
            [
                Step(), Step(scale: 0.75), Step(scale: 0.5), Step(scale: 0.375), Step(scale: 0.25),
                Step(scale: 0.25, every: 2),
            ]
        case .detail: [Step(), Step(every: 2), Step(every: 3), Step(every: 5), Step(scale: 0.5, every: 5)]
        case .balanced:
            [Step(), Step(scale: 0.75), Step(scale: 0.5), Step(scale: 0.5, every: 2), Step(scale: 0.25, every: 2)]
        }
    }

    /// Notes what the encoder may make and what was sent, in kbit/s, at a time in s.
    ///
    /// `limitKbit` is nil while the path takes all of `wantedKbit`; `hasFallen` says that it was seen to take far less all of a sudden.
    /// - Returns: The step to take now; nil: no change.
    mutating func note(
        limitKbit: Double?, wantedKbit: Double, sentKbit: Double, hasFallen: Bool = false, of capture: Capture,
        at now: Double
    ) -> Step? {
        // Nothing is known about a pause.
        if now - (latest ?? now) > Self.longestPause { forgetTimes() }
        latest = now
        let limit = limitKbit ?? wantedKbit
        if let step = giveWay(limit, sentKbit, capture, isPath: limitKbit != nil, hasFallen: hasFallen, at: now) {
            isForEncoder = limitKbit == nil
            return step
        }
        guard index > 0 else { return nil }
        let need = need(index - 1, limit, sentKbit, capture, at: now)
        let isFree = limitKbit == nil && !isForEncoder
        let wait = isFree && need <= limit ? Self.freeTime : upTime
        let hasRoom = isFree || limit > need * Self.room
        guard Self.lasts(hasRoom, &roomSince, wait, now) else { return nil }
        index -= 1
        lastUp = now
        forgetTimes()
        return step
    }

    /// What a higher step needs, in kbit/s, as far as is known.
    private func need(_ index: Int, _ limit: Double, _ sentKbit: Double, _ capture: Capture, at now: Double) -> Double {
        let seen = needs[index].flatMap { now - $0.at < Self.memory ? $0.kbit : nil } ?? 0
        // Simple video needs no more bits for each pixel than it takes.
        let isSimple = sentKbit < limit * Self.use
        let usual = isSimple ? sentKbit * steps[index].share / step.share : fewestToChange(to: index, capture)
        return max(usual, seen)
    }

    /// A lower step, if there are too many bits, or too few.
    ///
    /// Too few count only if the path is the reason: who asks for a low rate has chosen it.
    private mutating func giveWay(
        _ limit: Double, _ sentKbit: Double, _ capture: Capture, isPath: Bool, hasFallen: Bool, at now: Double
    ) -> Step? {
        let excessLasts = Self.lasts(sentKbit > limit * Self.excess, &excessSince, Self.excessTime, now)
        if excessLasts {
            // Those that are left out would have needed their share of it.
            for lower in steps.indices.dropFirst(index) {
                needs[lower] = (sentKbit * steps[lower].share / step.share, now)
            }
        }
        let fewest = fewest(index, capture)
        let areBlocks = isPath && limit < fewest && sentKbit > limit * Self.use
        let time = hasFallen ? 0 : limit < fewest / 2 ? Self.fewBlocksTime : Self.blocksTime
        let blocksLast = Self.lasts(areBlocks, &blocksSince, time, now)
        guard excessLasts || blocksLast else { return nil }
        return down(capture, toShare: excessLasts ? step.share * limit / sentKbit : 1, limit, at: now)
    }

    private mutating func forgetTimes() { (excessSince, blocksSince, roomSince) = (nil, nil, nil) }

    /// The bits below which a step makes blocks, in kbit/s.
    private func fewest(_ index: Int, _ capture: Capture) -> Double {
        capture.pixelsPerSecond * steps[index].share * Self.fewestBits / 1_000
    }

    /// The same, with what the key frame at the beginning needs.
    private func fewestToChange(to index: Int, _ capture: Capture) -> Double {
        guard steps[index].scale != step.scale else { return fewest(index, capture) }
        let pixels = Double(capture.width * capture.height) * steps[index].scale * steps[index].scale
        return max(fewest(index, capture), pixels * Self.keyFrame.bits / Self.keyFrame.seconds / 1_000)
    }

    /// Whether a condition has held for so many s.
    private static func lasts(_ holds: Bool, _ since: inout Double?, _ seconds: Double, _ now: Double) -> Bool {
        since = holds ? since ?? now : nil
        return since.map { now - $0 >= seconds } ?? false
    }

    /// Takes the first lower step that has enough bits and at most this share of the pixels, or the lowest.
    private mutating func down(_ capture: Capture, toShare share: Double, _ limitKbit: Double, at now: Double) -> Step?
    {
        let possible = steps.indices.dropFirst(index + 1).filter { capture.allows(steps[$0]) }
        let next =
            possible.first { fewestToChange(to: $0, capture) <= limitKbit && steps[$0].share <= share } ?? possible.last
        forgetTimes()
        guard let next else { return nil }
        let isMistake = lastUp.map { now - $0 < Self.trial } ?? false
        upTime = isMistake ? min(upTime * 2, Self.upTimes.upperBound) : Self.upTimes.lowerBound
        (index, lastUp) = (next, nil)
        return step
    }
}
