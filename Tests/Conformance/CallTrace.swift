import CallAgent

/// The events of a call at one end, step by step, and the expected effects.
package struct CallTrace: Sendable {
    package let name: String
    /// The initial parameters of the call.
    package let call: JSONValue
    /// Each has its `event`, the state of the call after it, and its `effects` in order.
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

    /// The steps as the agent's rules run them.
    package func played() throws -> [JSONValue] {
        var machine = try CallMachine(call)
        return try events.map { try machine.step($0) }
    }

    /// The trace with the results of the agent's rules.
    package func rewritten() throws -> JSONValue {
        ["name": .string(name), "call": call, "steps": .array(try played())]
    }
}
