public import MediaEngine

/// A participant of a room, as the server describes it.
public struct RoomParticipant: Sendable, Equatable {
    /// One thing that a participant publishes.
    public struct Stream: Sendable, Equatable {
        /// The media id in the participant's session description.
        public var mid: String
        /// Audio or video.
        public var kind: MediaKind
        /// Whether a moderator muted it.
        public var isMuted: Bool

        /// Describes a stream.
        public init(mid: String, kind: MediaKind, isMuted: Bool = false) {
            (self.mid, self.kind, self.isMuted) = (mid, kind, isMuted)
        }
    }

    /// Identifies it in the room; another one after it joins again.
    public let id: String
    /// The name that it chose; not unique, not checked.
    public var displayName: String
    /// What it publishes: one audio and one video stream at most are received.
    public var streams: [Stream]
    /// Whether the server hears it speak, see ``RoomEvent/speaking(_:_:)``.
    public var isSpeaking: Bool

    /// Describes a participant.
    public init(id: String, displayName: String, streams: [Stream] = [], isSpeaking: Bool = false) {
        (self.id, self.displayName, self.streams, self.isSpeaking) = (id, displayName, streams, isSpeaking)
    }

    /// The first stream of each kind.
    var receivedStreams: [Stream] {
        MediaKind.allCases.compactMap { kind in streams.first { $0.kind == kind } }
    }
}
