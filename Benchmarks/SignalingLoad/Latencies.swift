/// How long messages took, in ms.
struct Latencies: Sendable, Encodable {
    let messages: Int
    let p50Ms: Double
    let p99Ms: Double
    let maxMs: Double

    init(_ nanoseconds: [Int64]) {
        let sorted = nanoseconds.sorted()
        func at(_ share: Double) -> Double {
            guard !sorted.isEmpty else { return .infinity }
            let value = Double(sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)])
            return (value / 10_000).rounded() / 100
        }
        messages = sorted.count
        (p50Ms, p99Ms, maxMs) = (at(0.5), at(0.99), at(1))
    }

    var text: String { "p50 \(p50Ms) ms, p99 \(p99Ms) ms, max \(maxMs) ms of \(messages) messages" }
}
