import CallAgent

/// What happens to a call at one end, step by step, and what that end is to do.
package struct CallTrace: Sendable {
    package let name: String
    /// How the call begins.
    package let call: JSONValue
    /// Each with its `event`, where the call is after it, and its `effects` in order.
    package let steps: [JSONValue]

    package var events: [JSONValue] { steps.map { $0["event"] ?? .null } }

    package static func all() throws -> [CallTrace] {
        try (VectorFile.calls.read()["traces"]?.array ?? []).map(CallTrace.init)
    }

    private init(_ trace: JSONValue) {
        name = trace["name"]?.string ?? ""
        call = trace["call"] ?? .null
        steps = trace["steps"]?.array ?? []
    }

    /// What the agent's rules say.
    package func played() throws -> [JSONValue] {
        var machine = try CallMachine(call)
        return try events.map { try machine.step($0) }
    }

    /// The trace as the agent's rules have it.
    package func rewritten() throws -> JSONValue {
        ["name": .string(name), "call": call, "steps": .array(try played())]
    }
}
