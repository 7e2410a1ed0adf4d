internal import CallAgent
internal import FoundationEssentials

/// What two ends of a call say to each other to go on in a room: an application message whose text is a JSON object with the key `room`.
enum RoomTransferMessage: Sendable, Equatable {
    /// Go on in this room.
    case invitation(RoomInvitation)
    /// The sender is in the room, as the participant with this id.
    case joined(participant: String)
    /// The sender receives the other end in the room: its call there is connected.
    case receives
    /// The sender does not go on in the room.
    case refused(text: String)

    /// Nil for any other text.
    init?(_ content: String) {
        guard let fields = Self.decoded(Envelope.self, content)?.room else { return nil }
        if let invitation = fields.invitation, SignalingLimits.isName(invitation.room) {
            self = .invitation(invitation)
        } else if let participant = fields.joined {
            self = .joined(participant: participant)
        } else if fields.receives == true {
            self = .receives
        } else if let text = fields.refused {
            self = .refused(text: text)
        } else {
            return nil
        }
    }

    /// The text of the application message.
    var content: String {
        var fields = Fields()
        switch self {
        case .invitation(let invitation): fields.invitation = invitation
        case .joined(let participant): fields.joined = participant
        case .receives: fields.receives = true
        case .refused(let text): fields.refused = SignalingLimits.bounded(text)
        }
        return Self.encoded(Envelope(room: fields))
    }

    private struct Envelope: Codable { var room: Fields }

    private struct Fields: Codable {
        var invitation: RoomInvitation?
        var joined: String?
        var receives: Bool?
        var refused: String?
    }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
        guard SignalingLimits.isDecodable(text) else { return nil }
        return try? JSONDecoder().decode(type, from: Data(text.utf8))
    }

    static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
