internal import Foundation

/// What ``AudioSource/speech`` sends: `pipelines/sources/speech-audio-source.launch`.
private enum Syllable {
    /// Where its spectrum is compared, in Hz: on each harmonic of its pitch, and halfway between two.
    static let frequencies = (2...49).map { 70.0 * Double($0) }
    /// Its odd harmonics in dB, relative to the whole; it has no others.
    static let harmonics = [-0.4, -11.1, -18.1, -25.8, -38.6, -41.9, -36.7, -37.6, -42.0, -53.6, -52.0, -46.3]
    /// In dB, relative to the whole; less counts as this.
    static let floor = -60.0
    /// In ms, from the middle of one to the middle of the next.
    static let interval = 220.0
    /// In ms: how long it may be, since a loss shortens it and an echo prolongs it.
    static let durations = 90.0...195.0

    /// One figure for each frequency.
    static let spectrum = frequencies.indices.map { $0 % 4 == 0 ? harmonics[$0 / 4] : floor }
}

/// Measures how much the spectrum of received speech differs from that of ``AudioSource/speech``.
///
/// A syllable is known by its length, its pitch, and its place after another one. A value without a clock.
struct SpeechMeter: Sendable {
    /// The syllables that are all in the same rhythm.
    private struct Rhythm {
        /// The sample in the middle of the next one.
        var next: Int
        /// The distances of those that were no syllables any more; they count when one follows that is.
        var damaged: [Double] = []
    }

    private static let blocksPerSecond = 400
    /// In ms: what is compared of a syllable, 14 periods.
    private static let window = 100.0
    /// In ms after the middle of a syllable: then it would have been found.
    private static let patience = 110.0
    /// In ms: how far a syllable may be from its place.
    private static let tolerance = 5.0
    /// A block is loud above that part of the loudest lately.
    private static let loudPart = 0.5
    /// The part of the loudest that remains after a block: half after 1.15 s.
    private static let decay = 0.9985
    /// Of full scale; less is silence.
    private static let silence = 0.003
    /// So many quiet blocks come before a syllable.
    private static let pause = 8
    /// So many quiet blocks end it.
    private static let end = 2
    /// In dB: the part of the pitch in a syllable at least.
    private static let leastPitch = -6.0
    /// More damaged syllables in a row are a pause.
    private static let mostDamaged = 4
    /// In ms: a decoder that leaves out more has paused.
    private static let longestGap = 1_000.0

    private let samplesPerSecond: Double
    private let blockLength: Int
    /// The latest samples; sample number N is at N modulo the count.
    private var recent: [Int16]
    /// Where the next sample belongs: a division for each would be the dearest part of the measurement.
    private var place = 0
    /// How many samples of the present block came so far.
    private var inBlock = 0
    /// How many samples came so far.
    private var position = 0
    private var squares = 0.0
    private var loudest = 0.0
    private var quietBlocks = 0
    /// The first sample of a loud part, if a pause came before it.
    private var start: Int?
    /// The first sample after the latest loud block.
    private var loudEnd = 0
    private var rhythm: Rhythm?
    /// The middle of the latest syllable, if it was out of the rhythm.
    private var stray: Int?
    /// When the sample after the latest one is to be presented, in ms; nil before the first one and after a pause.
    private var presentation: Double?
    private var distances = FigureCounts(stepsPerUnit: 10)
    private var syllables = 0

    /// Starts a measurement of signed 16-bit samples of one channel.
    init(samplesPerSecond: Int) {
        self.samplesPerSecond = Double(samplesPerSecond)
        blockLength = max(8, samplesPerSecond / Self.blocksPerSecond)
        let length = Int((Self.window + Self.patience) * Double(samplesPerSecond) / 1_000)
        recent = [Int16](repeating: 0, count: max(1, length))
    }

    /// The samples that follow are presented at `time`, in ms; what the decoder left out before them is silence.
    mutating func begin(presentation time: Double) {
        let gap = presentation.map { time - $0 } ?? 0
        if gap > Self.longestGap {
            interrupt()
        } else if gap > 1 {
            for _ in 0..<samples(gap) { add(0) }
        }
        presentation = time
    }

    /// What follows does not continue what was before, as after a pause.
    mutating func interrupt() { (rhythm, stray, start, presentation) = (nil, nil, nil, nil) }

    /// Takes the first channel of the next samples, which are interleaved.
    mutating func add(_ samples: UnsafeBufferPointer<Int16>, channels: Int) {
        for index in stride(from: 0, to: samples.count, by: channels) { add(samples[index]) }
        presentation? += Double(samples.count / channels) * 1_000 / samplesPerSecond
    }

    /// Takes the next sample.
    mutating func add(_ sample: Int16) {
        recent[place] = sample
        place = place + 1 == recent.count ? 0 : place + 1
        let value = Double(sample) / 32_768
        squares += value * value
        position += 1
        inBlock += 1
        if inBlock == blockLength { endBlock() }
    }

    private mutating func endBlock() {
        let level = (squares / Double(blockLength)).squareRoot()
        (squares, inBlock) = (0, 0)
        loudest = max(level, loudest * Self.decay)
        if level > max(Self.silence, loudest * Self.loudPart) {
            if quietBlocks >= Self.pause { start = position - blockLength }
            (quietBlocks, loudEnd) = (0, position)
        } else {
            quietBlocks += 1
            if quietBlocks == Self.end, let start = start.take() { endLoudPart(from: start) }
        }
        missDueSyllable()
    }

    private mutating func endLoudPart(from start: Int) {
        let length = Double(loudEnd - start) * 1_000 / samplesPerSecond
        guard Syllable.durations.contains(length) else { return }
        let middle = (start + loudEnd) / 2
        let spectrum = spectrum(around: middle)
        guard spectrum[0] >= Self.leastPitch else { return }
        if let rhythm, !isAlike(middle, rhythm.next) {
            // One that lost an end is in another place; what is in its own place is compared. Two that follow each other are another rhythm.
            guard let stray, isAlike(middle, stray + samples(Syllable.interval)) else {
                stray = middle
                return
            }
        } else if let rhythm {
            for distance in rhythm.damaged + [Self.distance(of: spectrum)] {
                distances.add(distance)
                syllables += 1
            }
        }
        (rhythm, stray) = (Rhythm(next: middle + samples(Syllable.interval)), nil)
    }

    private func isAlike(_ position: Int, _ other: Int) -> Bool { abs(position - other) <= samples(Self.tolerance) }

    /// Notes what is in the place of a syllable if there is none.
    private mutating func missDueSyllable() {
        guard var rhythm = rhythm.take(), rhythm.damaged.count <= Self.mostDamaged else { return }
        if position >= rhythm.next + samples(Self.patience) {
            rhythm.damaged.append(Self.distance(of: spectrum(around: rhythm.next)))
            rhythm.next += samples(Syllable.interval)
        }
        self.rhythm = rhythm
    }

    private func samples(_ milliseconds: Double) -> Int { Int((milliseconds * samplesPerSecond / 1_000).rounded()) }

    /// The power at each frequency of a syllable in dB, as a part of the whole, by Goertzel's algorithm.
    private func spectrum(around middle: Int) -> [Double] {
        let count = samples(Self.window)
        let first = max(0, middle - count / 2)
        let window = (first..<first + count).map { Double(recent[$0 % recent.count]) / 32_768 }
        let whole = window.reduce(0) { $0 + $1 * $1 } / Double(count)
        guard whole.squareRoot() > Self.silence else { return Syllable.frequencies.map { _ in Syllable.floor } }
        return Syllable.frequencies.map { hertz in
            let coefficient = 2 * cos(2 * .pi * hertz / samplesPerSecond)
            var (last, beforeLast) = (0.0, 0.0)
            for value in window { (last, beforeLast) = (value + coefficient * last - beforeLast, last) }
            let power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast
            let part = 2 * power / (Double(count) * Double(count)) / whole
            return max(Syllable.floor, 10 * log10(max(part, .leastNormalMagnitude)))
        }
    }

    private static func distance(of spectrum: [Double]) -> Double {
        let squares = zip(spectrum, Syllable.spectrum).map { ($0 - $1) * ($0 - $1) }
        return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    }

    /// What was measured; nil without two syllables in the right rhythm.
    var result: SpeechQuality? {
        guard syllables > 0 else { return nil }
        var quality = SpeechQuality()
        (quality.syllables, quality.spectralDistanceDb) = (syllables, distances.distribution)
        return quality
    }
}
