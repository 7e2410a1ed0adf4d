/// Where what is sent of one kind comes from.
public enum MediaSource: Sendable, Hashable {
    /// Pictures.
    case video(VideoSource)
    /// Sound.
    case audio(AudioSource)

    /// Which of the two.
    public var kind: MediaKind {
        switch self {
        case .video: .video
        case .audio: .audio
        }
    }
}

extension MediaSource {
    /// The name of its pipeline description.
    var name: String {
        switch self {
        case .video(let source): source.name
        case .audio(let source): source.name
        }
    }

    /// The role of its pipeline description.
    var role: PipelineDescription.Role {
        switch self {
        case .video: .videoSource
        case .audio: .audioSource
        }
    }

    /// What its description's placeholders are set to.
    var values: [String: String] {
        switch self {
        case .video(let source): source.values
        case .audio(let source): source.values
        }
    }
}
