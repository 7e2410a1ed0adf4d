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
        /// Whether it is published in several versions (simulcast), see ``SimulcastLayer``.
        public var hasLayers: Bool

        /// Describes a stream.
        public init(mid: String, kind: MediaKind, isMuted: Bool = false, hasLayers: Bool = false) {
            (self.mid, self.kind, self.isMuted, self.hasLayers) = (mid, kind, isMuted, hasLayers)
        }
    }

    /// Identifies it in the room; another one after it joins again.
    public let id: String
    /// The name that it chose; not unique, not checked.
    public var displayName: String
    /// What it publishes: one audio and one video stream at most are received.
    public var streams: [Stream]
    /// Whether the server hears it speak, see ``RoomEvent/speaking(_:_:)``; nil when the server does not say.
    public var isSpeaking: Bool?

    /// Describes a participant.
    public init(id: String, displayName: String, streams: [Stream] = [], isSpeaking: Bool? = nil) {
        (self.id, self.displayName, self.streams, self.isSpeaking) = (id, displayName, streams, isSpeaking)
    }

    /// With what the server said before about what it does not say now.
    func completed(by former: RoomParticipant?) -> RoomParticipant {
        var result = self
        result.isSpeaking = isSpeaking ?? former?.isSpeaking
        return result
    }

    /// The first stream of each kind.
    var receivedStreams: [Stream] {
        MediaKind.allCases.compactMap { kind in streams.first { $0.kind == kind } }
    }
}

/// One of the versions of a video that a participant publishes at once (simulcast, RFC 8853).
///
/// Who publishes decides their sizes, often a quarter, a half and the whole. It may pause the larger ones while its path takes too little.
/// In place of one that is missing the server forwards the next lower one: of two versions, ``high`` is the same as ``medium``.
public enum SimulcastLayer: String, Sendable, CaseIterable {
    /// The smallest.
    case low
    /// The second smallest.
    case medium
    /// The largest.
    case high
}
