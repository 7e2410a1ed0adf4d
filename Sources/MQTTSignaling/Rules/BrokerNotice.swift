internal import CallProtocol

/// Messages that a signaling server would send, made of what the broker says.
struct BrokerNotice: Sendable {
    private var count = 0

    /// The answer to a message that the broker did not hand on; nil for one that gets no answer.
    ///
    /// - Parameter reason: the reason code of the acknowledgement (MQTT 5 section 3.4.2.1).
    mutating func refusal(of message: SignalingMessage, reason: Int32, unixMs: Double) -> SignalingMessage? {
        switch message.body {
        case .ack, .error: return nil
        default: break
        }
        let (code, text) =
            switch reason {
            case 0x10: (SignalingCode.offline, "\(message.to) is not signed in")
            case 0x87: (SignalingCode.forbidden, "the broker does not let \(message.from) write to \(message.to)")
            case 0x97: (SignalingCode.tooMany, "the broker takes no more messages")
            default: (SignalingCode.malformed, "the broker refused the message (reason \(reason))")
            }
        let fault = SignalingMessage.Fault(code: code, text: text, ref: message.id)
        return SignalingMessage(
            id: nextID(), callId: message.callId, from: "", to: message.from, generation: message.generation,
            sentUnixMs: unixMs, body: .error(fault))
    }

    /// Says that a device at the other end of a call is signed in no more.
    mutating func gone(_ device: Device, callId: String, to user: String, unixMs: Double) -> SignalingMessage {
        var message = SignalingMessage(
            id: nextID(), callId: callId, from: device.user, to: user, sentUnixMs: unixMs, body: .gone)
        message.device = device.device
        return message
    }

    /// Says that a message to one device arrived.
    mutating func acknowledgement(of message: SignalingMessage) -> SignalingMessage {
        var ack = SignalingMessage(
            id: nextID(), callId: message.callId, from: message.to, to: message.from, generation: message.generation,
            sentUnixMs: message.sentUnixMs, body: .ack(message.id))
        (ack.device, ack.toDevice) = (message.toDevice, message.device)
        return ack
    }

    private mutating func nextID() -> String {
        count += 1
        return "mqtt\(count)"
    }
}
