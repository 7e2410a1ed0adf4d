/// The events of one end's delivery, step by step, and the expected actions.
package struct DeliveryTrace: Sendable {
    package let name: String
    package let user: String
    package let device: String
    package let epoch: Int
    private let written: JSONValue
    /// The fields of every message that this end sends, and of every one that it receives.
    private let defaults: (sent: JSONValue, received: JSONValue)
    /// The steps with whole messages; a repeated step occurs several times.
    package let steps: [JSONValue]
    /// By the number of a step: `next`, and `actions`, of which only the named fields are compared.
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
        epoch = file["epoch"]?.int ?? 0
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

    /// The first step with a wrong result; nil if all are right.
    ///
    /// `said` has for each step the `actions` and the time of the `next` wake.
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

    /// The results of the agent's delivery.
    package func played() throws -> [JSONValue] {
        var delivery = DeliveryRun(user: user, device: device, epoch: epoch)
        return try steps.map { step in
            ["actions": .array(try delivery.step(step)), "next": delivery.next]
        }
    }

    /// The trace with the agent's results.
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

    /// The fields of an action that are compared.
    private func briefly(_ action: JSONValue) -> JSONValue {
        var action = action
        for (kind, defaults) in [
            ("transmit", defaults.sent), ("deliver", defaults.received), ("failed", defaults.sent),
        ] {
            guard let message = action[kind] else { continue }
            // Each end chooses the ids of the messages that the delivery itself sends.
            let isOwn = kind == "transmit" && ["ack", "skip", "error"].contains(message["type"]?.string)
            let names = ["type", "callId", "to", "toDevice", "seq", "epoch", "ref", "code"] + (isOwn ? [] : ["id"])
            let fields = (message.object ?? [:]).filter { names.contains($0.key) && defaults[$0.key] != $0.value }
            action[kind] = .object(fields)
        }
        return action
    }
}

extension JSONValue {
    /// The same value with a character replaced in each of its strings.
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
