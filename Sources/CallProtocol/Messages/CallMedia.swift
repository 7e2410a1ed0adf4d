/// Which media a call has.
public struct CallMedia: Sendable, Equatable, Codable {
    /// Sound both ways.
    public var audio: Bool
    /// Pictures both ways.
    public var video: Bool

    /// Makes a choice of media; a call has at least one of the two.
    public init(audio: Bool, video: Bool) {
        self.audio = audio
        self.video = video
    }

    /// Sound and pictures.
    public static let audioVideo = CallMedia(audio: true, video: true)
    /// Sound alone.
    public static let audioOnly = CallMedia(audio: true, video: false)
}
