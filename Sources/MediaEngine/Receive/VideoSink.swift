/// Where the peer's pictures, or those of a capture, are shown.
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

    /// Reads a sink as the command line writes it.
    ///
    /// | text | what becomes of the pictures |
    /// |---|---|
    /// | `discard` | nobody sees them |
    /// | `window` | a window of X or Wayland; Xlib ends the process when the X server goes away |
    /// | `v4l2:/dev/video9` | a camera for other programs, by the kernel module v4l2loopback |
    /// | `NAME`, `NAME:CHOICE` | the pipeline description of that name |
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when it is empty. Whether the description exists shows in
    ///   `MediaEngine.check`.
    public init(parsing text: String) throws(MediaError) {
        guard let (name, choice) = SourceText.parts(text) else {
            throw .unknownChoice(kind: "video sink", value: text, known: ["discard", "window"])
        }
        self.init(name: name, choice: choice)
    }

    /// Nobody sees them.
    public static let discard = VideoSink(name: "discard")
    /// A window of X or Wayland.
    public static let window = VideoSink(name: "window")
}
