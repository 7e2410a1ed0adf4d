/// What happens to one end's delivery, step by step, and what it is to do.
package struct DeliveryTrace: Sendable {
    package let name: String
    package let user: String
    package let device: String
    private let written: JSONValue
    /// What every message has that this end sends, and receives.
    private let defaults: (sent: JSONValue, received: JSONValue)
    /// With whole messages, as often as they are done.
    package let steps: [JSONValue]
    /// By the number of a step: `actions`, of which only what is named must be so, and `next`.
    private let expected: [Int: JSONValue]

    package static func all() throws -> [DeliveryTrace] {
        let file = try VectorFile.delivery.read()
        return try (file["traces"]?.array ?? []).map { try DeliveryTrace($0, file) }
    }

    private init(_ trace: JSONValue, _ file: JSONValue) throws {
        written = trace
        defaults = (file["sent"] ?? .null, file["received"] ?? .null)
        name = trace["name"]?.string ?? ""
        (user, device) = (file["user"]?.string ?? "", file["device"]?.string ?? "")
        var steps: [JSONValue] = []
        var expected: [Int: JSONValue] = [:]
        for step in trace["steps"]?.array ?? [] {
            var whole = step
            if let message = step["send"] { whole["send"] = defaults.sent.merging(message) }
            if let message = step["receive"] { whole["receive"] = defaults.received.merging(message) }
            whole = try JSONValue(text: VectorFile.writtenOut(whole.text))
            for time in 1...(step["times"]?.int ?? 1) { steps.append(whole.replacing("#", with: "\(time)")) }
            expected[steps.count - 1] = step
        }
        (self.steps, self.expected) = (steps, expected)
    }

    /// The first step after which it is not as it must be; nil when all are right.
    ///
    /// `said` has the `actions` after each step, and when the `next` wake is due.
    package func mismatch(_ said: [JSONValue]) -> String? {
        guard said.count == steps.count else { return "\(said.count) answers to \(steps.count) steps" }
        for (place, wanted) in expected.sorted(by: { $0.key < $1.key }) {
            let (actions, all) = (said[place]["actions"]?.array ?? [], wanted["actions"]?.array ?? [])
            let isRight = actions.count == all.count && zip(actions, all).allSatisfy { $0.has($1) }
            if !isRight || said[place]["next"] != wanted["next"] {
                return "step \(place), \(steps[place].text): \(said[place].text)"
            }
        }
        return nil
    }

    /// What the agent's delivery does.
    package func played() throws -> [JSONValue] {
        var delivery = DeliveryRun(user: user, device: device)
        return try steps.map { step in
            ["actions": .array(try delivery.step(step)), "next": delivery.next]
        }
    }

    /// The trace as the agent has it.
    package func rewritten() throws -> JSONValue {
        let said = try played()
        let steps = zip(expected.sorted { $0.key < $1.key }, written["steps"]?.array ?? []).map { expected, step in
            var step = step
            step["next"] = said[expected.key]["next"]
            step["actions"] = .array((said[expected.key]["actions"]?.array ?? []).map(briefly))
            return step
        }
        return written.merging(["steps": .array(steps)])
    }

    /// What matters of an action.
    private func briefly(_ action: JSONValue) -> JSONValue {
        var action = action
        for (kind, defaults) in [
            ("transmit", defaults.sent), ("deliver", defaults.received), ("failed", defaults.sent),
        ] {
            guard let message = action[kind] else { continue }
            // Each end makes up ids for what it says by itself.
            let isOwn = kind == "transmit" && ["ack", "skip", "error"].contains(message["type"]?.string)
            let names = ["type", "callId", "to", "toDevice", "seq", "ref", "code"] + (isOwn ? [] : ["id"])
            let fields = (message.object ?? [:]).filter { names.contains($0.key) && defaults[$0.key] != $0.value }
            action[kind] = .object(fields)
        }
        return action
    }
}

extension JSONValue {
    /// The same with a sign in each of its texts replaced.
    fileprivate func replacing(_ sign: Character, with text: String) -> JSONValue {
        switch self {
        case .string(let old):
            .string(old.split(separator: sign, omittingEmptySubsequences: false).joined(separator: text))
        case .array(let values): .array(values.map { $0.replacing(sign, with: text) })
        case .object(let fields): .object(fields.mapValues { $0.replacing(sign, with: text) })
        default: self
        }
    }
}
