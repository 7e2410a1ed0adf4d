public import MediaEngine

/// Everything that can be set on an agent, with its defaults.
public struct CallAgentConfiguration: Sendable {
    /// What calls send, and how.
    public var media: MediaConfiguration
    /// What happens while a call rings here.
    public var earlyMedia = EarlyMediaPolicy.guarded
    /// Ring 30 s, connect 10 s, media lost 30 s.
    public var timeouts = CallTimeouts()
    /// How many calls the agent has at a time; one more is answered "busy".
    ///
    /// A call that rings counts.
    public var maximumCalls = 1

    /// Takes the media as they are; everything else has its default.
    public init(media: MediaConfiguration) { self.media = media }

    /// Names the sources; everything else has its default.
    public init(video: VideoSource? = .test(), audio: AudioSource? = .tone()) {
        media = MediaConfiguration(video: video, audio: audio)
    }
}
