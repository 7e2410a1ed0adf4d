/// Where the video of the peer or of a capture is shown.
public struct VideoSink: Sendable, Hashable {
    /// The name of a pipeline description with the role `video-sink`.
    public var name: String
    /// What the description's placeholder `choice` is set to, such as a device; nil leaves its default.
    public var choice: String?

    /// Names a sink by its pipeline description.
    public init(name: String, choice: String? = nil) {
        self.name = name
        self.choice = choice
    }

    /// Parses the command line's notation of a sink.
    ///
    /// | text | where the video is shown |
    /// |---|---|
    /// | `discard` | nowhere |
    /// | `window` | a window of X or Wayland; Xlib ends the process when the X server goes away |
    /// | `v4l2:/dev/video9` | a camera for other programs, by the kernel module v4l2loopback |
    /// | `NAME`, `NAME:CHOICE` | the pipeline description of that name |
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when it is empty. `Engine.check` checks whether the description
    ///   exists.
    public init(parsing text: String) throws(MediaError) {
        guard let (name, choice) = SourceText.parts(text) else {
            throw .unknownChoice(kind: "video sink", value: text, known: ["discard", "window"])
        }
        self.init(name: name, choice: choice)
    }

    /// The video is discarded.
    public static let discard = VideoSink(name: "discard")
    /// A window of X or Wayland.
    public static let window = VideoSink(name: "window")
}

/// Where the peer's audio is played.
public struct AudioSink: Sendable, Hashable {
    /// The name of a pipeline description with the role `audio-sink`.
    public var name: String
    /// What the description's placeholder `choice` is set to, such as a device; nil leaves its default.
    public var choice: String?

    /// Names a sink by its pipeline description.
    public init(name: String, choice: String? = nil) {
        self.name = name
        self.choice = choice
    }

    /// Parses the command line's notation of a sink.
    ///
    /// | text | where the audio is played |
    /// |---|---|
    /// | `discard` | nowhere |
    /// | `speaker` | the default output: of PipeWire, PulseAudio or ALSA, the first that works |
    /// | `pipewire`, `pulse`, `alsa`, each with `:DEVICE` | one output, such as `alsa:hw:1` |
    /// | `NAME`, `NAME:CHOICE` | the pipeline description of that name |
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when it is empty. `Engine.check` checks whether the description
    ///   exists.
    public init(parsing text: String) throws(MediaError) {
        guard let (name, choice) = SourceText.parts(text) else {
            throw .unknownChoice(kind: "audio sink", value: text, known: ["discard", "speaker"])
        }
        self.init(name: name, choice: choice)
    }

    /// The audio is discarded.
    public static let discard = AudioSink(name: "discard")
    /// The default output.
    public static let speaker = AudioSink(name: "speaker")
}
