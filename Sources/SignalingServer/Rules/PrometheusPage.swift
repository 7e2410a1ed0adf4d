/// Writes metrics in Prometheus' text format 0.0.4.
///
/// Names and label values are from this package and need no escaping.
struct PrometheusPage: Sendable {
    private(set) var text = ""
    private static let prefix = "callagent_signaling_"

    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        begin(name, help, "gauge")
        text += "\(Self.prefix)\(name) \(value)\n"
    }

    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        begin(name, help, "counter")
        text += "\(Self.prefix)\(name) \(value)\n"
    }

    mutating func counters(_ name: String, _ help: String, label: String, _ values: [String: Int]) {
        begin(name, help, "counter")
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            text += "\(Self.prefix)\(name){\(label)=\"\(key)\"} \(value)\n"
        }
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, help, "histogram")
        var count = 0
        for (bound, observed) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
            count += observed
            text += "\(Self.prefix)\(name)_bucket{le=\"\(bound)\"} \(count)\n"
        }
        text += "\(Self.prefix)\(name)_sum \(histogram.sum)\n\(Self.prefix)\(name)_count \(count)\n"
    }

    private mutating func begin(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(Self.prefix)\(name) \(help)\n# TYPE \(Self.prefix)\(name) \(type)\n"
    }
}
