internal import Foundation

/// Measures the audio of a source that ticks (``AudioTick``): its delay, and where its tone is interrupted.
///
/// A value without a clock.
struct AudioQualityMeter: Sendable {
    /// A part of the audio of 2.5 ms.
    private struct Block {
        var squares = 0.0
        var (cosine, sine) = (0.0, 0.0)
        /// What the coefficient of the tone follows from.
        var (correlation, energy) = (0.0, 0.0)
        /// The largest difference between a sample and its linear prediction.
        var residual = 0.0
    }
    /// The loud blocks of a tick so far.
    private struct Tick {
        var weight = 0.0
        /// Sums that the weight is yet to be taken out of, in ms.
        var (arrival, presentation) = (0.0, 0.0)
        var blocks = 0
        var loudest = 0.0
    }
    /// The tone, as it was lately.
    private struct Tone {
        /// A root mean square of full scale.
        var level: Double
        /// A sample is this times the one before it, less the one before that: twice the cosine of the angle between two samples.
        var coefficient = 2.0
        var (correlation, energy) = (0.0, 0.0)
        /// The mean of the blocks.
        var residual: Double
        /// For how many blocks it is not looked at for clicks: it has just begun, or jumped.
        var skippedBlocks = 40

        init(level: Double, residual: Double) { (self.level, self.residual) = (level, residual) }

        var isAudible: Bool { level > 0.003 }
    }
    /// When a buffer is played, in ms since 1970, and when it is presented, in ms.
    private struct Buffer {
        var arrival: Double
        var presentation: Double
        /// How many of its samples have been taken.
        var samples = 0
    }

    private static let blocksPerSecond = 400
    /// Of full scale: where a tick begins and ends.
    private static let tickThreshold = 0.06
    /// Of full scale: how loud the middle of a tick is.
    private static let tickRange = 0.1...0.3
    /// How many blocks of a tick are above the threshold; more are another sound, fewer a damaged tick.
    private static let tickBlocks = 3...10
    /// The residual of a tick at most, as a multiple of its loudness: in narrowband audio, where it swells.
    private static let tickResidual = 7.0
    /// After so many seconds at most a tick follows another one.
    private static let mostSeconds = 12.0
    /// Below that part of its level the tone is interrupted.
    private static let silence = 0.1
    /// In ms: less is not heard as a gap, more is a pause.
    private static let gapRange = 10.0...10_000.0
    /// Audio that ended less than so many ms ago may have ended with the call, whose end takes a while to arrive.
    private static let shortestEnd = 2_000.0
    /// The part of a new block in the means: they take 100 ms to follow.
    private static let smoothing = 1.0 / 40

    private let samplesPerSecond: Double
    /// The wave that ticks are found with, for each sample of a block, below a window.
    private let wave: [(cosine: Double, sine: Double)]
    private let windowSum: Double
    /// The present buffer; nil before the first one, and after a pause.
    private var buffer: Buffer?
    private var frameSkew: Double?
    private var block = Block()
    private var position = 0
    private var (last, beforeLast) = (0.0, 0.0)
    private var tick: Tick?
    /// When the latest tick is presented, in ms.
    private var latest: Double?
    /// Nil while there is none.
    private var tone: Tone?
    /// For how long the tone is interrupted, in ms.
    private var quietMs = 0.0
    private var (delays, offsets) = (FigureCounts(), FigureCounts())
    private var quality = AudioQuality()
    /// Faults since the latest tick; they count when another one follows, since until then it may be another sound.
    private var pending = AudioQuality()

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

    /// The samples that follow are played from `arrival` on, in ms since 1970, and are presented at `presentation`, in ms of the pipelines' clock.
    ///
    /// `frameSkew` is the presentation time of the latest frame less its capture time, in ms; nil: it is not known.
    mutating func begin(arrival: Double, presentation: Double, frameSkew: Double?) {
        // The decoder left something out.
        let gap = buffer.map { presentation - $0.presentation - milliseconds($0.samples) } ?? 0
        if gap > Self.gapRange.upperBound { interrupt() }
        if gap >= Self.gapRange.lowerBound, tone?.isAudible == true {
            if quietMs > 0 { quietMs += gap } else { note(gap: gap) }
            // The tone goes on in another phase.
            tone?.skippedBlocks = 2
        }
        buffer = Buffer(arrival: arrival, presentation: presentation)
        self.frameSkew = frameSkew
    }

    /// What follows does not continue what was before, as after a pause.
    mutating func interrupt() {
        (buffer, tone, tick, latest) = (nil, nil, nil, nil)
        (quietMs, pending) = (0, AudioQuality())
    }

    /// Takes the first channel of the next samples, which are interleaved.
    mutating func add(_ samples: UnsafeBufferPointer<Int16>, channels: Int) {
        for index in stride(from: 0, to: samples.count, by: channels) { add(samples[index]) }
    }

    /// Takes the next sample.
    mutating func add(_ sample: Int16) {
        let value = Double(sample) / 32_768
        let (cosine, sine) = wave[position]
        block.squares += value * value
        block.cosine += value * cosine
        block.sine += value * sine
        block.correlation += (value + beforeLast) * last
        block.energy += last * last
        block.residual = max(block.residual, abs(value - (tone?.coefficient ?? 2) * last + beforeLast))
        (beforeLast, last) = (last, value)
        position += 1
        buffer?.samples += 1
        if position == wave.count { endBlock() }
    }

    private mutating func endBlock() {
        let block = block
        (self.block, position) = (Block(), 0)
        let loudness = 2 * (block.cosine * block.cosine + block.sine * block.sine).squareRoot() / windowSum
        follow(block, tickLoudness: loudness)
        guard let buffer else { return }
        guard loudness < Self.tickThreshold else {
            var tick = tick ?? Tick()
            let middle = milliseconds(buffer.samples) - milliseconds(wave.count) / 2
            tick.weight += loudness
            tick.arrival += loudness * (buffer.arrival + middle)
            tick.presentation += loudness * (buffer.presentation + middle)
            tick.blocks += 1
            tick.loudest = max(tick.loudest, loudness)
            self.tick = tick
            return
        }
        if let tick = tick.take() { note(tick) }
    }

    private mutating func note(_ tick: Tick) {
        guard Self.tickBlocks.contains(tick.blocks), Self.tickRange.contains(tick.loudest) else { return }
        let arrival = tick.arrival / tick.weight - AudioTick.duration / 2
        let presentation = tick.presentation / tick.weight - AudioTick.duration / 2
        defer { (latest, pending) = (presentation, AudioQuality()) }
        // Other sounds are not as regular.
        let seconds = latest.map { (presentation - $0) / AudioTick.interval } ?? 0
        guard (1...Self.mostSeconds).contains(seconds.rounded()),
            abs(seconds - seconds.rounded()) * AudioTick.interval < AudioTick.duration
        else { return }
        // A little before the full second is possible: the clocks of the two machines do not agree.
        delays.add(AudioTick.wrapped(arrival, from: -100))
        if let frameSkew {
            offsets.add(AudioTick.wrapped(presentation - frameSkew, from: -AudioTick.interval / 2))
        }
        quality.ticks += 1
        quality.addFaults(of: pending)
    }

    private func milliseconds(_ samples: Int) -> Double { Double(samples) * 1_000 / samplesPerSecond }

    private mutating func follow(_ block: Block, tickLoudness: Double) {
        let level = (block.squares / Double(wave.count)).squareRoot()
        guard var tone = tone.take(), tone.isAudible else {
            tone = Tone(level: level, residual: block.residual)
            return
        }
        guard level >= tone.level * Self.silence else {
            quietMs += milliseconds(wave.count)
            if quietMs > Self.gapRange.upperBound { interrupt() } else { self.tone = tone }
            return
        }
        if quietMs >= Self.gapRange.lowerBound { note(gap: quietMs) }
        if quietMs > 0 { (quietMs, tone.skippedBlocks) = (0, 2) }
        tone.level += (level - tone.level) * Self.smoothing
        if tone.skippedBlocks > 0 {
            tone.skippedBlocks -= 1
        } else if block.residual > 4 * tone.residual + 0.2 * tone.level + Self.tickResidual * tickLoudness {
            pending.clickCount += 1
            tone.skippedBlocks = 2
        } else if tickLoudness < Self.tickThreshold / 6 {
            tone.residual += (block.residual - tone.residual) * Self.smoothing
            tone.correlation += (block.correlation - tone.correlation) * Self.smoothing
            tone.energy += (block.energy - tone.energy) * Self.smoothing
            if tone.energy > 0 { tone.coefficient = tone.correlation / tone.energy }
        }
        self.tone = tone
    }

    private mutating func note(gap: Double) { if Self.gapRange.contains(gap) { pending.note(gap: gap) } }

    /// What was measured; nil without a tick.
    var result: AudioQuality? {
        guard quality.ticks > 0 else { return nil }
        var quality = quality
        (quality.delayMs, quality.videoOffsetMs) = (delays.distribution, offsets.distribution)
        return quality
    }

    /// How long the next samples have been awaited at a time in ms since 1970, in ms.
    func wait(at now: Double) -> Double {
        buffer.map { max(0, now - $0.arrival - milliseconds($0.samples)) } ?? 0
    }

    /// With a gap at the end: the tone was interrupted, and nothing came for `ms` more although it was to come.
    func ending(afterMs ms: Double) -> AudioQualityMeter {
        guard buffer != nil, tone?.isAudible == true, ms >= Self.shortestEnd else { return self }
        var total = self
        total.quality.note(gap: quietMs + ms)
        return total
    }
}

extension AudioQuality {
    fileprivate mutating func note(gap: Double) {
        gapCount += 1
        totalGapsMs += gap
        longestGapMs = max(longestGapMs, gap)
    }

    fileprivate mutating func addFaults(of other: AudioQuality) {
        gapCount += other.gapCount
        totalGapsMs += other.totalGapsMs
        longestGapMs = max(longestGapMs, other.longestGapMs)
        clickCount += other.clickCount
    }
}
