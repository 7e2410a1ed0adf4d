public import CallAgent
public import MediaEngine

/// What happens in a room.
public enum RoomEvent: Sendable {
    /// This end is in the room, and again after ``lost(text:)``; with those who are there.
    case joined(id: String, participants: [RoomParticipant])
    /// A participant came, or publishes something else than before.
    case present(RoomParticipant)
    /// A participant left, or a moderator removed it.
    case left(RoomParticipant, wasKicked: Bool)
    /// What this end publishes has a connection; the call's events say what becomes of it.
    case publishing(Call)
    /// This end asks for a participant's media; the call is connected when its first frame was decoded.
    case receiving(RoomParticipant, Call)
    /// This end cannot publish now; the text says why. It tries again while ``RoomConfiguration/reconnects`` is true.
    case notPublished(text: String)
    /// This end cannot receive a participant now; the text says why. It tries again while ``RoomConfiguration/reconnects`` is true.
    case notReceived(RoomParticipant, text: String)
    /// A participant begins or ceases to speak, as the server hears it.
    ///
    /// The server has to measure it (Janus: `audiolevel_event`), and the participant has to send its level (RFC 6464).
    case speaking(RoomParticipant, Bool)
    /// A moderator muted or unmuted a participant for everybody; nil: this end. The kind is nil when the server names an unknown stream.
    case muted(RoomParticipant?, MediaKind?, Bool)
    /// The connection to the server is lost; all calls of the room end.
    case lost(text: String)
    /// This end is in the room no more: a moderator removed it, the room is gone, or nobody connects again.
    ///
    /// The last event.
    case ended(RoomError)
}
