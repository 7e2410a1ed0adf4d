/// How a figure is spread over the frames or ticks of a call.
public struct Distribution: Sendable, Equatable, Codable {
    /// The least of all.
    public var min: Double
    /// Half of all are no greater.
    public var median: Double
    /// 95 % of all are no greater.
    public var p95: Double
    /// The greatest of all.
    public var max: Double

    /// Makes a distribution.
    public init(min: Double, median: Double, p95: Double, max: Double) {
        (self.min, self.median, self.p95, self.max) = (min, median, p95, max)
    }
}

/// Counts how often a figure had which value, rounded to a multiple of a step.
struct FigureCounts: Sendable {
    private let stepsPerUnit: Double
    private var counts: [Int: Int] = [:]
    private var total = 0

    init(stepsPerUnit: Double = 1) { self.stepsPerUnit = stepsPerUnit }

    /// `value` is less than a million.
    mutating func add(_ value: Double) {
        counts[Int((value * stepsPerUnit).rounded()), default: 0] += 1
        total += 1
    }

    /// Nil without a value.
    var distribution: Distribution? {
        let sorted = counts.sorted { $0.key < $1.key }
        guard let least = sorted.first, let most = sorted.last else { return nil }
        return Distribution(
            min: Double(least.key) / stepsPerUnit, median: quantile(0.5, sorted), p95: quantile(0.95, sorted),
            max: Double(most.key) / stepsPerUnit)
    }

    /// The least value that this part of all does not exceed.
    private func quantile(_ part: Double, _ sorted: [(key: Int, value: Int)]) -> Double {
        var rest = (part * Double(total)).rounded(.up)
        for (step, count) in sorted {
            rest -= Double(count)
            if rest <= 0 { return Double(step) / stepsPerUnit }
        }
        return 0
    }
}
