internal import FoundationEssentials
internal import MediaEngine

/// The id of a room or a participant: a number, or a text when the server is configured so (`string_ids`).
enum JanusID: Sendable, Hashable, Codable {
    case number(UInt64)
    case text(String)

    /// Digits alone are a number: that is the server's default.
    init(_ text: String) { self = UInt64(text).map { .number($0) } ?? .text(text) }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(UInt64.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .number(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        }
    }

    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// A session description as Janus carries it.
struct JanusDescription: Sendable, Codable {
    var type: String
    var sdp: String
    /// This end sends its candidates one by one.
    var trickle: Bool?

    static func offer(_ sdp: String) -> JanusDescription { JanusDescription(type: "offer", sdp: sdp, trickle: true) }
    static func answer(_ sdp: String) -> JanusDescription { JanusDescription(type: "answer", sdp: sdp, trickle: true) }
}

/// What every request shows the server.
struct JanusCredentials: Sendable {
    var token: String?
    var apiSecret: String?
}

/// A request to Janus (https://janus.conf.meetecho.com/docs/rest.html, the same over WebSocket).
struct JanusRequest: Sendable, Encodable {
    struct Candidate: Sendable, Encodable {
        var candidate: String?
        var sdpMLineIndex: Int?
        /// No more candidates follow.
        var completed: Bool?
    }

    /// The verb.
    var janus: String
    var transaction = ""
    var token: String?
    var apiSecret: String?
    var session: UInt64?
    var handle: UInt64?
    var plugin: String?
    var body: VideoRoomRequest?
    var jsep: JanusDescription?
    var candidate: Candidate?

    init(_ verb: String) { janus = verb }

    private enum CodingKeys: String, CodingKey {
        case janus, transaction, token, plugin, body, jsep, candidate
        case apiSecret = "apisecret"
        case session = "session_id"
        case handle = "handle_id"
    }
}

/// A request to the plugin VideoRoom (https://janus.conf.meetecho.com/docs/videoroom.html).
struct VideoRoomRequest: Sendable, Encodable {
    struct Stream: Sendable, Encodable {
        var feed: JanusID
        var mid: String
        var substream: Int?
    }

    var request: String
    var room: JanusID?
    var role: String?
    var display: String?
    var pin: String?
    var secret: String?
    var id: JanusID?
    var mid: String?
    var mute: Bool?
    var restart: Bool?
    /// Without a mid: of all video that has several.
    var substream: Int?
    var streams: [Stream]?
    var privateId: UInt64?
    /// Whether the server changes a subscription by itself; this end ends it instead.
    var autoupdate: Bool?

    init(_ request: String, room: JanusID? = nil) { (self.request, self.room) = (request, room) }

    private enum CodingKeys: String, CodingKey {
        case request, room, display, pin, secret, id, mid, mute, restart, substream, streams, autoupdate
        case role = "ptype"
        case privateId = "private_id"
    }
}

/// What Janus sends: the answer to a request, or an event.
struct JanusMessage: Sendable, Decodable {
    struct Created: Sendable, Decodable { var id: UInt64 }
    struct Fault: Sendable, Decodable {
        var code: Int
        var reason: String
    }
    struct PluginData: Sendable, Decodable { var data: VideoRoomEvent }

    var janus: String
    var transaction: String?
    var sender: UInt64?
    var data: Created?
    var error: Fault?
    var plugindata: PluginData?
    var jsep: JanusDescription?
    var reason: String?
}

/// What the plugin VideoRoom says.
struct VideoRoomEvent: Sendable, Decodable {
    struct Stream: Sendable, Decodable {
        var type: String
        var mid: String?
        var disabled: Bool?
        var moderated: Bool?
        var simulcast: Bool?
    }
    struct Participant: Sendable, Decodable {
        var id: JanusID
        var display: String?
        var streams: [Stream]?
        /// The streams have it as well, but Janus 1.4 and older say false there of the first one.
        var talking: Bool?
    }

    var videoroom: String?
    var id: JanusID?
    var privateId: UInt64?
    var publishers: [Participant]?
    var attendees: [Participant]?
    var joining: Participant?
    var unpublished: JanusID?
    var leaving: JanusID?
    var kicked: JanusID?
    var reason: String?
    var mid: String?
    var moderation: String?
    var errorCode: Int?
    var error: String?

    private enum CodingKeys: String, CodingKey {
        case videoroom, id, publishers, attendees, joining, unpublished, leaving, kicked, reason, mid, moderation, error
        case privateId = "private_id"
        case errorCode = "error_code"
    }
}

extension RoomParticipant {
    init(_ participant: VideoRoomEvent.Participant) {
        let streams = (participant.streams ?? []).compactMap { stream -> Stream? in
            guard let mid = stream.mid, stream.disabled != true, let kind = MediaKind(rawValue: stream.type) else {
                return nil
            }
            return Stream(
                mid: mid, kind: kind, isMuted: stream.moderated == true, hasLayers: stream.simulcast == true)
        }
        self.init(
            id: participant.id.description, displayName: participant.display ?? "", streams: streams,
            isSpeaking: participant.talking)
    }
}

extension SimulcastLayer {
    /// The number that Janus gives it.
    var substream: Int {
        switch self {
        case .low: 0
        case .medium: 1
        case .high: 2
        }
    }
}
