internal import FoundationEssentials

/// The part of a message that can be read even if it is refused: sender, receiver and sequence number.
///
/// A field is nil when it is absent, of another type or out of bounds.
package struct MessageHead: Sendable, Equatable {
    package var version: Double?
    package var type: String?
    package var id: String?
    package var callId: String?
    package var from: String?
    package var to: String?
    package var device: String?
    package var toDevice: String?
    package var sequence: Int?
    /// 0 when it is absent.
    package var epoch: Int?
    package var generation: Int?
    /// Whether ``device`` or ``toDevice`` is present but unreadable.
    package var isMisaddressed = false

    init(version: Double?, type: String?, id: String?) {
        self.version = version
        self.type = type
        self.id = Self.name(id)
    }

    /// Reads the head of a JSON object; nil for anything else.
    package init?(decoding text: String) {
        guard text.utf8.count <= SignalingLimits.messageBytes, SignalingLimits.isDecodable(text),
            let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8))
        else { return nil }
        self.init(version: wire.version, type: wire.type, id: wire.id)
        (callId, from, to) = (Self.name(wire.callId), Self.name(wire.from), Self.name(wire.to))
        (device, toDevice) = (Self.name(wire.device), Self.name(wire.toDevice))
        isMisaddressed = (wire.hasDevice && device == nil) || (wire.hasToDevice && toDevice == nil)
        sequence = wire.sequence.flatMap { SignalingLimits.sequences.contains($0) ? $0 : nil }
        epoch = wire.hasEpoch ? wire.epoch.flatMap { SignalingLimits.epochs.contains($0) ? $0 : nil } : 0
        generation = wire.generation.flatMap { SignalingLimits.generations.contains($0) ? $0 : nil }
    }

    /// Why a message with this version or type is refused, whatever else it holds; nil when both are known.
    var unknownVersionOrType: MalformedMessage? {
        guard version == Double(SignalingMessage.version) else {
            return MalformedMessage(
                code: SignalingCode.unknownVersionOrType,
                text: "this end speaks version \(SignalingMessage.version) only", ref: id)
        }
        // The type is the sender's text and is not repeated.
        guard let type, SignalingWire.types.contains(type) else {
            return MalformedMessage(code: SignalingCode.unknownVersionOrType, text: "unknown type", ref: id)
        }
        return nil
    }

    /// The error for the sender of the refused message.
    ///
    /// Nil when the sender is unknown, and for errors and acknowledgements, which are never answered.
    package func answer(_ fault: MalformedMessage, from user: String) -> SignalingMessage? {
        guard type != "error", type != "ack", let from, let callId else { return nil }
        let body = SignalingMessage.Fault(
            code: fault.code, text: SignalingLimits.bounded(fault.text), ref: fault.ref ?? id)
        var answer = SignalingMessage(
            id: "unreadable", callId: callId, from: user, to: from, sentUnixMs: 0, body: .error(body))
        answer.toDevice = device
        return answer
    }

    private static func name(_ text: String?) -> String? { text.flatMap { SignalingLimits.isName($0) ? $0 : nil } }

    /// Each field is read separately: one of the wrong type does not spoil the others.
    private struct Wire: Decodable {
        var version: Double?
        var sequence, epoch, generation: Int?
        var type, id, callId, from, to, device, toDevice: String?
        var hasDevice, hasToDevice, hasEpoch: Bool

        private enum Key: String, CodingKey {
            case version = "v"
            case sequence = "seq"
            case type, id, callId, from, to, device, toDevice, epoch, generation
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            func isThere(_ key: Key) -> Bool { (try? fields.decodeNil(forKey: key)) == false }
            func value<Value: Decodable>(_ key: Key) -> Value? { try? fields.decodeIfPresent(Value.self, forKey: key) }
            (version, sequence) = (value(.version), value(.sequence))
            (epoch, generation) = (value(.epoch), value(.generation))
            (type, id, callId) = (value(.type), value(.id), value(.callId))
            (from, to, device, toDevice) = (value(.from), value(.to), value(.device), value(.toDevice))
            (hasDevice, hasToDevice, hasEpoch) = (isThere(.device), isThere(.toDevice), isThere(.epoch))
        }
    }
}
