internal import Foundation

/// Measures the audio of a source that ticks (``AudioTick``): its delay, and where its tone is interrupted.
///
/// A value without a clock.
struct AudioQualityMeter: Sendable {
    /// A part of the audio of 2.5 ms.
    private struct Block {
        var squares = 0.0
        var (cosine, sine) = (0.0, 0.0)
        /// The largest second difference of three samples: steep at a click.
        var steepest = 0.0
    }
    /// The loud blocks of a tick so far.
    private struct Tick {
        var weight = 0.0
        /// Sums that the weight is yet to be taken out of, in ms.
        var (arrival, presentation) = (0.0, 0.0)
        var blocks = 0
        var loudest = 0.0
    }
    /// When the middle of a tick arrived, in ms since 1970, and when it is presented, in ms.
    private struct Moment {
        var arrival: Double
        var presentation: Double
    }

    private static let blocksPerSecond = 400
    /// Of full scale: where a tick begins and ends.
    private static let tickThreshold = 0.06
    /// Of full scale: how loud the middle of a tick is.
    private static let tickRange = 0.1...0.3
    /// After so many seconds at most a tick follows another one.
    private static let mostSeconds = 5.0
    /// How many blocks of a tick are above the threshold; more are another sound, fewer a damaged tick.
    private static let tickBlocks = 3...10
    /// Below that part of its level the tone is interrupted.
    private static let silence = 0.1
    /// In ms: less is not heard as a gap, more is a pause.
    private static let gapRange = 10.0...1_000.0
    /// The part of a new block in the mean level: it takes 100 ms to follow.
    private static let memory = 1.0 / 40

    private let samplesPerSecond: Double
    /// The wave that ticks are found with, for each sample of a block, below a window.
    private let wave: [(cosine: Double, sine: Double)]
    private let windowSum: Double
    private var moment = Moment(arrival: 0, presentation: 0)
    /// The presentation time that follows the samples so far, in ms; nil before the first one.
    private var expected: Double?
    private var block = Block()
    private var position = 0
    private var (last, beforeLast) = (0.0, 0.0)
    private var tick: Tick?
    /// When the latest tick is presented, in ms.
    private var latest: Double?
    /// The level of the tone, a root mean square of full scale; nil before there is one.
    private var level: Double?
    private var steepness = 0.0
    /// For how long the tone is interrupted, in ms.
    private var quietMs = 0.0
    private var ticks = 0
    private var delays = DelaySpread()
    private var quality = AudioQuality()
    /// Blocks that are not looked at for clicks, since the tone has just begun or a click was counted.
    private var blind = 0

    /// Starts a measurement of signed 16-bit samples of one channel.
    init(samplesPerSecond: Int) {
        self.samplesPerSecond = Double(samplesPerSecond)
        let count = max(8, samplesPerSecond / Self.blocksPerSecond)
        let window = (0..<count).map { 0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(count)) }
        windowSum = window.reduce(0, +)
        wave = window.enumerated().map { index, weight in
            let angle = 2 * .pi * AudioTick.hertz * Double(index) / Double(samplesPerSecond)
            return (weight * cos(angle), weight * sin(angle))
        }
    }

    /// The samples that follow were decoded at `arrival`, in ms since 1970, and are presented at `presentation`, in ms; nil if that is not known.
    mutating func begin(arrival: Double, presentation: Double?) {
        if let presentation, let expected {
            // The decoder left something out.
            let gap = presentation - expected
            if gap >= Self.gapRange.lowerBound {
                note(gap: gap)
                // The tone goes on in another phase.
                blind = 2
            }
        }
        expected = presentation
        moment = Moment(arrival: arrival, presentation: presentation ?? 0)
    }

    /// Takes the next sample; returns the presentation time of a tick that is over, in ms.
    mutating func add(_ sample: Int16) -> Double? {
        let value = Double(sample) / 32_768
        let (cosine, sine) = wave[position]
        block.squares += value * value
        block.cosine += value * cosine
        block.sine += value * sine
        block.steepest = max(block.steepest, abs(value - 2 * last + beforeLast))
        (beforeLast, last) = (last, value)
        position += 1
        let passed = 1_000 / samplesPerSecond
        moment.arrival += passed
        moment.presentation += passed
        expected? += passed
        return position == wave.count ? endBlock() : nil
    }

    private mutating func endBlock() -> Double? {
        let block = block
        (self.block, position) = (Block(), 0)
        let loudness = 2 * (block.cosine * block.cosine + block.sine * block.sine).squareRoot() / windowSum
        follow(block, isTick: loudness > Self.tickThreshold / 3)
        guard loudness < Self.tickThreshold else {
            var tick = tick ?? Tick()
            let middle = Double(wave.count) * 500 / samplesPerSecond
            tick.weight += loudness
            tick.arrival += loudness * (moment.arrival - middle)
            tick.presentation += loudness * (moment.presentation - middle)
            tick.blocks += 1
            tick.loudest = max(tick.loudest, loudness)
            self.tick = tick
            return nil
        }
        return tick.take().flatMap { note($0) }
    }

    private mutating func note(_ tick: Tick) -> Double? {
        guard Self.tickBlocks.contains(tick.blocks), Self.tickRange.contains(tick.loudest) else { return nil }
        let (arrival, presentation) = (tick.arrival / tick.weight, tick.presentation / tick.weight)
        defer { latest = presentation }
        // Other sounds are not as regular.
        let distance = presentation - (latest ?? presentation)
        let seconds = (distance / AudioTick.interval).rounded()
        guard (1...Self.mostSeconds).contains(seconds),
            abs(distance - seconds * AudioTick.interval) < AudioTick.duration
        else { return nil }
        let begin = arrival - AudioTick.duration / 2
        // Just before the full second: the clocks of the two machines do not agree.
        delays.add(Int(AudioSkew.wrapped(begin, from: -100).rounded()))
        ticks += 1
        return presentation - AudioTick.duration / 2
    }

    private mutating func follow(_ block: Block, isTick: Bool) {
        let blockMs = Double(wave.count) * 1_000 / samplesPerSecond
        let loudness = (block.squares / Double(wave.count)).squareRoot()
        guard let level, level > 0.003 else {
            (self.level, steepness, blind) = (loudness, block.steepest, 40)
            return
        }
        guard loudness >= level * Self.silence else {
            quietMs += blockMs
            if quietMs > Self.gapRange.upperBound { (self.level, quietMs) = (nil, 0) }
            return
        }
        if quietMs >= Self.gapRange.lowerBound { note(gap: quietMs) }
        if quietMs > 0 { (quietMs, blind) = (0, 2) }
        blind -= 1
        if !isTick {
            if blind <= 0, block.steepest > 4 * steepness + 0.2 * level {
                quality.clickCount += 1
                blind = 2
            } else if blind != 2 {
                steepness += (block.steepest - steepness) * Self.memory
            }
        }
        self.level = level + (loudness - level) * Self.memory
    }

    private mutating func note(gap: Double) {
        // Of a tone: until the first tick it may be anything.
        guard ticks > 0, Self.gapRange.contains(gap) else { return }
        quality.gapCount += 1
        quality.totalGapsMs += gap
        quality.longestGapMs = max(quality.longestGapMs, gap)
    }

    /// What was measured; nil without a tick.
    var result: AudioQuality? {
        guard ticks > 0 else { return nil }
        var quality = quality
        quality.ticks = ticks
        quality.delayMs = delays.distribution
        return quality
    }
}
