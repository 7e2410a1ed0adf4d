internal import Foundation

/// How a number is spread over several calls.
struct Spread: Encodable {
    /// The names of its numbers.
    static let names = ["min", "median", "p95", "max", "first"]

    let min: Double
    let median: Double
    /// The least number that at least 95 % of the calls do not exceed.
    let p95: Double
    let max: Double
    /// Of the first call that has the number; in the first call of a process only `prepare` has warmed anything up.
    let first: Double

    /// Nil for no numbers.
    init?(_ sample: Sample) {
        guard let first = sample.first, let least = sample.min, let most = sample.max else { return nil }
        let sorted = sample.numbers.sorted()
        let middle = sorted.count / 2
        let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        (min, max, self.first) = (least, most, first)
        // Not the noise of a mean, and more places than any document has.
        self.median = median.rounded(toPlaces: 4)
        p95 = sorted[(sorted.count * 95 + 99) / 100 - 1]
    }

    /// Nil for no numbers.
    init?(_ numbers: [Double]) {
        var sample = Sample()
        for number in numbers { sample.add(number) }
        self.init(sample)
    }
}

/// Numbers of which there may be very many: all of them up to a limit, and beyond it a random choice.
struct Sample {
    /// The 95th percentile of so many is nearly always between the 94th and the 96th of all: that is three standard deviations.
    static let size = 4_000

    /// How many numbers there were.
    private(set) var count = 0
    /// Of all numbers.
    private(set) var first: Double?
    private(set) var min: Double?
    private(set) var max: Double?
    /// At most ``size`` of them, each with the same chance, in no order.
    private(set) var numbers: [Double] = []
    private var choice = SplitMix64()

    mutating func add(_ number: Double) {
        count += 1
        first = first ?? number
        min = Swift.min(min ?? number, number)
        max = Swift.max(max ?? number, number)
        guard numbers.count == Self.size else { return numbers.append(number) }
        // Vitter's algorithm R: https://doi.org/10.1145/3147.3165
        let place = Int.random(in: 0..<count, using: &choice)
        if place < Self.size { numbers[place] = number }
    }
}

/// Chance that is the same each time: the same numbers in the same order give the same choice (https://doi.org/10.1145/2660193.2660195).
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64 = 0

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// The numbers that several documents have under the same names, and how each is spread.
struct SpreadTree: Encodable {
    private var sample = Sample()
    private var branches: [String: SpreadTree] = [:]

    /// Whether no document had a number.
    var isEmpty: Bool { sample.count == 0 && branches.values.allSatisfy(\.isEmpty) }

    /// A document that lacks a number does not count for it.
    mutating func add(_ document: some Encodable) {
        if let object = Output.object(document) { add(value: object) }
    }

    private mutating func add(value: Any) {
        if let object = value as? [String: Any] {
            for (name, value) in object { branches[name, default: SpreadTree()].add(value: value) }
        } else if let number = value as? NSNumber {
            sample.add(number.doubleValue)
        }
    }

    /// The numbers of one name, by the names that lead there.
    subscript(path: String...) -> Spread? {
        path.reduce(self as SpreadTree?) { tree, name in tree?.branches[name] }.flatMap { Spread($0.sample) }
    }

    func encode(to encoder: any Encoder) throws {
        if let spread = Spread(sample) { return try spread.encode(to: encoder) }
        try branches.filter { !$0.value.isEmpty }.encode(to: encoder)
    }
}
