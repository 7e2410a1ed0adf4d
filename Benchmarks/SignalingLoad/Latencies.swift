/// How long messages or sign-ins took, in ms.
struct Latencies: Sendable, Encodable {
    let count: Int
    let p50Ms: Double
    let p95Ms: Double
    let p99Ms: Double
    let maxMs: Double

    init(_ nanoseconds: [Int64]) {
        let sorted = nanoseconds.sorted()
        func at(_ share: Double) -> Double {
            guard !sorted.isEmpty else { return .infinity }
            let value = Double(sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)])
            return (value / 10_000).rounded() / 100
        }
        count = sorted.count
        (p50Ms, p95Ms, p99Ms, maxMs) = (at(0.5), at(0.95), at(0.99), at(1))
    }

    var text: String { "p50 \(p50Ms) ms, p99 \(p99Ms) ms, max \(maxMs) ms of \(count) messages" }
}
