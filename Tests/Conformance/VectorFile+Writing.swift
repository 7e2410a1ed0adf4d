import Foundation

/// Rewrites the vectors from the agent's results.
///
/// Use it after adding a vector or changing a rule, then review the diff.
extension VectorFile {
    /// Whether the tests write instead of comparing (`CALLAGENT_WRITE_VECTORS=1`).
    package static var isWriting: Bool { ProcessInfo.processInfo.environment["CALLAGENT_WRITE_VECTORS"] == "1" }

    /// The first keys of an object.
    private static let first = [
        "about", "name", "user", "limit", "call", "at", "event", "do", "type", "id", "peer", "callId", "state", "hold",
        "end",
    ]
    /// The last keys.
    private static let last = ["result", "actions", "next", "effects", "steps", "traces"]

    /// Replaces the file.
    ///
    /// Each step is on its own line.
    package func write(_ file: JSONValue, traces: [JSONValue]) throws {
        let head = Self.keys(of: file).filter { $0 != "traces" }
            .map { "\"\($0)\": \(Self.line(file[$0] ?? .null)),\n" }
        let texts = traces.map { trace in
            let fields = Self.keys(of: trace).filter { $0 != "steps" }.map {
                "\"\($0)\": \(Self.line(trace[$0] ?? .null))"
            }
            let steps = (trace["steps"]?.array ?? []).map { "  " + Self.line($0) }
            return "{\(fields.joined(separator: ", ")), \"steps\": [\n\(steps.joined(separator: ",\n"))\n]}"
        }
        let text = "{\n\(head.joined())\"traces\": [\n\(texts.joined(separator: ",\n"))\n]\n}\n"
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    private static func line(_ value: JSONValue) -> String {
        switch value {
        case .object: "{\(keys(of: value).map { "\"\($0)\":\(line(value[$0] ?? .null))" }.joined(separator: ","))}"
        case .array(let values): "[\(values.map(line).joined(separator: ","))]"
        default: value.text
        }
    }

    private static func keys(of value: JSONValue) -> [String] {
        func rank(_ key: String) -> Int {
            first.firstIndex(of: key) ?? last.firstIndex(of: key).map { 1_000 + $0 } ?? 500
        }
        return (value.object ?? [:]).keys.sorted { (rank($0), $0) < (rank($1), $1) }
    }
}
