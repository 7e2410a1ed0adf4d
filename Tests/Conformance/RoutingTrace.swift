import CallAgent

/// What happens between the calls of one end, step by step, and what becomes of each message.
package struct RoutingTrace: Sendable {
    package let name: String
    package let limit: Int
    private let written: [JSONValue]
    /// With whole messages.
    package let steps: [JSONValue]
    /// What comes of each step; null where nothing is to be said.
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

    /// What the agent says to each step.
    package func played() throws -> [JSONValue] {
        var routing = CallRouting(limit: limit)
        return try steps.map { try routing.step($0) }
    }

    /// The trace as the agent has it.
    package func rewritten() throws -> JSONValue {
        let steps = try zip(written, played()).map { $0.merging(["result": $1]) }
        return ["name": .string(name), "limit": .int(limit), "steps": .array(steps)]
    }
}
