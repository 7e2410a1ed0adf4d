/// Which media a call has.
public struct CallMedia: Sendable, Equatable, Codable {
    /// Audio both ways.
    public var audio: Bool
    /// Video both ways.
    public var video: Bool
    /// Data channels.
    public var data: Bool

    /// Makes a choice of media; a call has audio, video or both.
    public init(audio: Bool, video: Bool, data: Bool = false) {
        self.audio = audio
        self.video = video
        self.data = data
    }

    /// An absent `data` is false.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        audio = try fields.decode(Bool.self, forKey: .audio)
        video = try fields.decode(Bool.self, forKey: .video)
        data = try fields.decodeIfPresent(Bool.self, forKey: .data) ?? false
    }

    /// Writes `data` only when it is true.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(audio, forKey: .audio)
        try fields.encode(video, forKey: .video)
        if data { try fields.encode(data, forKey: .data) }
    }

    private enum CodingKeys: CodingKey {
        case audio, video, data
    }

    /// The same media, without data channels unless `isAllowed`.
    package func allowingData(_ isAllowed: Bool) -> CallMedia {
        CallMedia(audio: audio, video: video, data: data && isAllowed)
    }

    /// Audio and video.
    public static let audioVideo = CallMedia(audio: true, video: true)
    /// Audio alone.
    public static let audioOnly = CallMedia(audio: true, video: false)
    /// Video without audio.
    public static let videoOnly = CallMedia(audio: false, video: true)
}

/// What one end of a call sends now, as it reports to the other end.
///
/// Always sent complete, never as a difference: one lost or late message does no harm.
public struct MediaState: Sendable, Equatable, Codable {
    /// How one medium is sent.
    public enum Sending: String, Sendable, Equatable, Codable, CaseIterable {
        /// It is sent.
        case on
        /// Silence or black frames are sent; microphone and camera stay open.
        case muted
        /// Nothing is sent, and the device is closed; also used when there is no device.
        case off
    }

    /// The audio.
    public var audio: Sending
    /// The video.
    public var video: Sending
    /// This end holds the call: nothing is sent, and nothing of the other end is shown.
    public var isHolding: Bool

    /// Makes a state; both are sent by default.
    public init(audio: Sending = .on, video: Sending = .on, isHolding: Bool = false) {
        self.audio = audio
        self.video = video
        self.isHolding = isHolding
    }

    /// Neither audio nor video is sent.
    public static let nothing = MediaState(audio: .off, video: .off)

    private enum CodingKeys: String, CodingKey {
        case audio, video
        case isHolding = "hold"
    }
}
