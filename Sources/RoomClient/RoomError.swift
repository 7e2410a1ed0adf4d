public import CallAgent

/// What can go wrong with a room.
public enum RoomError: Error, Sendable, Equatable {
    /// The URL of the server cannot be used; the text says why.
    case invalidURL(String, text: String)
    /// The name of the room or of the participant cannot be used; the text says why.
    case invalidName(String, text: String)
    /// The server cannot be reached.
    case unreachable(String, text: String)
    /// The server took longer than the limit to answer this request.
    case noAnswer(request: String)
    /// The server refuses the token, the PIN or the moderator's secret.
    case unauthorized(text: String)
    /// The server has no such room.
    case noSuchRoom(String)
    /// As many participants publish as the room allows.
    case full(text: String)
    /// The server refuses a request for another reason, with its own code.
    case refused(code: Int, text: String)
    /// The room has no such participant or stream.
    case noSuchParticipant(String)
    /// The server removed this participant: a moderator did, or the room exists no more.
    case removed(text: String)
    /// This participant is not in the room now, or is joining already.
    case notJoined
    /// The connection to the server was lost.
    case lost(text: String)
    /// A call did not go on in the room; it stays as it was.
    case notTransferred(text: String)
    /// The agent or the media of a call failed.
    case call(CallError)
}

extension RoomError {
    /// Whether the same attempt may succeed a little later, without anybody changing anything.
    var isTransient: Bool {
        switch self {
        case .unreachable, .noAnswer, .lost, .full: true
        default: false
        }
    }
}

extension RoomError: CustomStringConvertible {
    /// One line: what, why and what to do.
    public var description: String {
        switch self {
        case .invalidURL(let url, let text): "'\(url.withoutSecrets)' is no URL of a Janus server: \(text)"
        case .invalidName(let name, let text): "'\(name.prefix(80))' cannot be used: \(text)"
        case .unreachable(let url, let text): "cannot reach the room server at \(url): \(text)"
        case .noAnswer(let request): "the room server did not answer in time (\(request))"
        case .unauthorized(let text): "the room server refuses this participant: \(text)"
        case .noSuchRoom(let room): "the server has no room '\(room)'"
        case .full(let text): "the room is full: \(text)"
        case .refused(let code, let text): "the room server refused (\(code)): \(text)"
        case .noSuchParticipant(let name): "nobody who publishes in the room is '\(name)'"
        case .removed(let text): text
        case .notJoined: "not in the room now"
        case .lost(let text): "the connection to the room server was lost: \(text)"
        case .notTransferred(let text): "the call does not go on in the room: \(text)"
        case .call(let error): error.description
        }
    }
}
