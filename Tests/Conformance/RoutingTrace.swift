import CallAgent

/// The events of one end's routing, step by step, and the result for each message.
package struct RoutingTrace: Sendable {
    package let name: String
    package let limit: Int
    private let written: [JSONValue]
    /// The steps with whole messages.
    package let steps: [JSONValue]
    /// The result of each step; null if there is none.
    package let outcomes: [JSONValue]

    package static func all() throws -> [RoutingTrace] {
        let file = try VectorFile.routing.read()
        return (file["traces"]?.array ?? []).map { RoutingTrace($0, file) }
    }

    private init(_ trace: JSONValue, _ file: JSONValue) {
        name = trace["name"]?.string ?? ""
        limit = trace["limit"]?.int ?? 1
        written = trace["steps"]?.array ?? []
        steps = written.map { step in
            guard let message = step["message"] else { return step }
            var whole = step
            whole["message"] = (file["received"] ?? .null).merging(message)
            return whole
        }
        outcomes = written.map { $0["result"] ?? .null }
    }

    /// The agent's result for each step.
    package func played() throws -> [JSONValue] {
        var routing = CallRouting(limit: limit)
        return try steps.map { try routing.step($0) }
    }

    /// The trace with the agent's results.
    package func rewritten() throws -> JSONValue {
        let steps = try zip(written, played()).map { $0.merging(["result": $1]) }
        return ["name": .string(name), "limit": .int(limit), "steps": .array(steps)]
    }
}
