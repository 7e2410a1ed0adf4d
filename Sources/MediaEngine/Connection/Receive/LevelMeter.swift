/// Measures how loud samples are, as W3C's `audioLevel` and `totalAudioEnergy` do.
///
/// See https://www.w3.org/TR/webrtc-stats/#dom-rtcaudiosourcestats-totalaudioenergy.
/// A sine at full scale has the level 0.707, since it is a root mean square.
struct LevelMeter: Sendable {
    private let samplesPerSecond: Double
    /// The sum of the squares of all samples so far; one second at full scale is 1.
    private(set) var energy = 0.0
    /// The duration of the samples, in s.
    private(set) var duration = 0.0
    /// The duration of the samples that were cut at full scale, in s: at least three in a row are nearly there.
    var clipped: Double { Double(clippedSamples) / samplesPerSecond }
    private var clippedSamples = 0
    /// How many samples in a row are near full scale.
    private var run = 0
    /// 0.98 of full scale: coding changes what was cut a little, and PCMU has no larger samples than 32,124.
    private static let limit: UInt16 = 32_100
    /// The level of the last whole 100 ms, 0 to 1; nil before.
    private(set) var level: Double?
    private var squares = 0.0
    private var position = 0

    /// Starts a measurement of signed 16-bit samples of one channel.
    init(samplesPerSecond: Int) { self.samplesPerSecond = Double(samplesPerSecond) }

    /// Takes the next sample.
    mutating func add(_ sample: Int16) {
        let value = Double(sample) / 32_768
        squares += value * value
        position += 1
        run = sample.magnitude >= Self.limit ? run + 1 : 0
        if run >= 3 { clippedSamples += run == 3 ? 3 : 1 }
        if Double(position) >= samplesPerSecond / 10 { endWindow() }
    }

    private mutating func endWindow() {
        level = (squares / Double(position)).squareRoot()
        energy += squares / samplesPerSecond
        duration += Double(position) / samplesPerSecond
        (squares, position) = (0, 0)
    }
}
