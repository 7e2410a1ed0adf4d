/// How often a value was below each of some bounds.
struct Histogram: Sendable, Equatable {
    /// Ascending.
    let bounds: [Double]
    /// One for each bound and one for what is above; not cumulative.
    private(set) var counts: [Int]
    private(set) var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
