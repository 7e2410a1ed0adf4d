/// Measures the pitch of a tone in samples.
///
/// Each window of 100 ms gives one figure, from the distance between its first and last upward zero crossing; the result is
/// the median of the windows, so that a concealed gap or the start of the tone does not spoil it.
struct PitchMeter: Sendable {
    /// Windows that are remembered; older ones are forgotten.
    static let maximumWindows = 100
    /// A crossing counts only after the signal was this far below zero, so that noise around zero is no tone.
    private static let threshold: Double = 500

    private let samplesPerSecond: Double
    private var windows: [Double] = []
    private var position = 0
    private var previous: Double = 0
    private var isArmed = false
    private var firstCrossing: Double?
    private var lastCrossing: Double = 0
    private var crossings = 0

    /// Starts a measurement of signed 16-bit samples of one channel.
    init(samplesPerSecond: Int) { self.samplesPerSecond = Double(samplesPerSecond) }

    /// The pitch so far, in Hz; nil while no window held a tone.
    var hertz: Double? {
        guard !windows.isEmpty else { return nil }
        return windows.sorted()[windows.count / 2]
    }

    /// Takes the next sample.
    mutating func add(_ sample: Int16) {
        let value = Double(sample)
        if value < -Self.threshold { isArmed = true }
        if isArmed, previous < 0, value >= 0 {
            isArmed = false
            crossings += 1
            // Linear interpolation between the two samples around zero.
            lastCrossing = Double(position) - value / (value - previous)
            if firstCrossing == nil { firstCrossing = lastCrossing }
        }
        previous = value
        position += 1
        if Double(position) >= samplesPerSecond / 10 { endWindow() }
    }

    private mutating func endWindow() {
        if let firstCrossing, crossings > 1, lastCrossing > firstCrossing {
            windows.append(Double(crossings - 1) / (lastCrossing - firstCrossing) * samplesPerSecond)
            if windows.count > Self.maximumWindows { windows.removeFirst() }
        }
        position = 0
        crossings = 0
        firstCrossing = nil
    }
}
