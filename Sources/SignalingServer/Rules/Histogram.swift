/// A histogram: how many values were within each bound.
struct Histogram: Sendable, Equatable {
    /// Ascending.
    let bounds: [Double]
    /// One for each bound and one for the values above all bounds; not cumulative.
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
