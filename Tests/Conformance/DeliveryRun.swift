import CallProtocol

/// An end's delivery, with the steps and actions of `docs/signaling.md`, "Conformance".
package struct DeliveryRun: Sendable {
    private var delivery: Delivery

    package init(user: String, device: String, epoch: Int) {
        delivery = Delivery(user: user, device: device, isGuaranteed: false, epoch: epoch)
    }

    /// When the next wake is due, in ms.
    package var next: JSONValue { delivery.nextWake.map { .int($0) } ?? .null }

    /// Whether nothing waits for an acknowledgement.
    package var isIdle: Bool { delivery.isIdle }

    /// Runs one step at its time and returns the actions.
    package mutating func step(_ step: JSONValue) throws -> [JSONValue] {
        let now = step["at"]?.int ?? 0
        if let message = step["send"] { return try json(delivery.send(Self.message(message), at: now), at: now) }
        if let message = step["receive"] { return try json(receive(message.text, at: now), at: now) }
        if let call = step["forget"] {
            delivery.forget(try CallKey(call))
            return []
        }
        if step["wake"] != nil { return try json(delivery.wake(at: now), at: now) }
        switch step["connection"]?.string {
        case "lost":
            delivery.connectionLost()
            return []
        case "restored": return try json(delivery.connectionRestored(at: now), at: now)
        default: throw NotInVocabulary(step)
        }
    }

    private mutating func receive(_ text: String, at now: Int) -> [Delivery.Action] {
        do throws(MalformedMessage) {
            return delivery.receive(try SignalingMessage(decoding: text), at: now)
        } catch {
            return MessageHead(decoding: text).map { delivery.refuse($0, error, at: now) } ?? []
        }
    }

    /// A message to send may exceed the limits; some steps test that.
    private static func message(_ fields: JSONValue) throws -> SignalingMessage {
        guard let content = fields["content"]?.string else { return try SignalingMessage(decoding: fields.text) }
        var message = try SignalingMessage(decoding: fields.merging(["content": ""]).text)
        message.body = .info(content)
        return message
    }

    /// A message that cannot be encoded is given up.
    private mutating func json(_ actions: [Delivery.Action], at now: Int) throws -> [JSONValue] {
        var result: [JSONValue] = []
        for action in actions {
            switch action {
            case .transmit(let message):
                do {
                    result.append(["transmit": try message.fields])
                } catch let fault as MalformedMessage {
                    result += try json(delivery.refusedHere(message, fault, at: now), at: now)
                }
            case .deliver(let message): result.append(["deliver": try message.fields])
            case .failed(let message, let failure): result.append(Self.json(message, failure))
            }
        }
        return result
    }

    private static func json(_ message: SignalingMessage, _ failure: Delivery.Failure) -> JSONValue {
        let failed: JSONValue = [
            "id": .string(message.id), "callId": .string(message.callId), "to": .string(message.to),
            "seq": message.sequence.map { .int($0) } ?? .null,
        ]
        return switch failure {
        case .unacknowledged: ["failed": failed, "why": "unacknowledged"]
        case .tooManyWait: ["failed": failed, "why": "tooManyWait"]
        case .refused(let code, _): ["failed": failed, "why": "refused", "code": .int(code)]
        }
    }
}
