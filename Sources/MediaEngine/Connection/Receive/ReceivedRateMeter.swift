/// Measures for how long more arrives than this end allowed in its description.
///
/// An encoder keeps to its rate on average only: a key frame alone may take a second's bits, and small rates are below what some encoders
/// can do. So the mean of five seconds counts, from one and a half of the limit on. A value without a clock.
struct ReceivedRateMeter: Sendable {
    /// In which the mean is taken, in steps of ``stepMs``.
    private static let steps = 20
    static let stepMs = 250
    /// So much more than the limit is still within it.
    private static let tolerance = 1.5
    /// No rate below this is too much, in kbit/s.
    static let leastKbit = 100

    private let allowedBytes: Double
    private var begin: ClockReading?
    private var step = 0
    /// The bytes of the present step and of the ones before it, the latest last.
    private var bytes: [Int] = [0]

    /// For how long it was too much, in ms.
    private(set) var aboveMs = 0

    init(maximumKbit: Int) {
        let seconds = Double(Self.steps * Self.stepMs) / 1_000
        allowedBytes = max(Double(maximumKbit) * Self.tolerance, Double(Self.leastKbit)) * 125 * seconds
    }

    /// Takes the payload of the next packet.
    mutating func add(_ count: Int, at now: ClockReading) {
        let begin = begin ?? now
        self.begin = begin
        let next = Int((now - begin) / .milliseconds(Self.stepMs))
        // After a long pause all steps are empty.
        for _ in step..<min(max(next, step), step + Self.steps + 1) { endStep() }
        step = max(next, step)
        bytes[bytes.count - 1] += count
    }

    private mutating func endStep() {
        if bytes.count == Self.steps {
            if Double(bytes.reduce(0, +)) > allowedBytes { aboveMs += Self.stepMs }
            bytes.removeFirst()
        }
        bytes.append(0)
    }
}
