/// Where the pictures that are sent come from.
public struct VideoSource: Sendable, Hashable {
    /// The name of a pipeline description with the role `video-source` or `av-source`.
    public var name: String
    /// What the description's placeholder `choice` is set to: a test pattern, a device, a file, a URL; nil leaves its default.
    public var choice: String?
    /// The size and rate of the pictures.
    public var format: VideoFormat
    /// How they are turned; a quarter turn makes a picture of ``format`` that is as high as that is wide.
    public var orientation = VideoOrientation.upright
    /// What the application pushes into; nil for all other sources.
    var input: VideoInput?

    /// Names a source by its pipeline description.
    public init(name: String, choice: String? = nil, format: VideoFormat = VideoFormat()) {
        self.name = name
        self.choice = choice
        self.format = format
    }

    /// Reads a source as the command line writes it.
    ///
    /// | text | pictures |
    /// |---|---|
    /// | `test`, `test:PATTERN` | a test picture, with any pattern of GStreamer's `videotestsrc` |
    /// | `clock`, `clock:PATTERN` | the same with a frame counter and the time of day (UTC) burnt in |
    /// | `v4l2:/dev/video0` | a camera, in the format that fits the size and rate best |
    /// | `rtsp://…`, `rtspu://…` | a network camera, by TCP or by UDP |
    /// | `file:clip.mkv` | a file, played for ever |
    /// | `screen`, `screen::1` | an X display; Xlib ends the process when the display's server goes away |
    /// | `NAME`, `NAME:CHOICE` | the pipeline description of that name |
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when it is empty. Whether the description exists shows when
    ///   the source is opened.
    public init(parsing text: String, format: VideoFormat = VideoFormat()) throws(MediaError) {
        guard let (name, choice) = SourceText.parts(text) else {
            throw .unknownChoice(kind: "video source", value: text, known: ["test", "none"])
        }
        self.init(name: name, choice: choice, format: format)
    }

    /// A moving test picture.
    public static func test(_ pattern: TestPattern = .ball, format: VideoFormat = VideoFormat()) -> VideoSource {
        VideoSource(name: "test", choice: pattern.rawValue, format: format)
    }

    /// The test pictures that move by themselves.
    public enum TestPattern: String, Sendable, CaseIterable {
        /// A white ball that bounces.
        case ball
        /// Colour bars with a patch of noise.
        case smpte
        /// Noise.
        case snow
    }
}

/// The size and rate of raw pictures; their pixels are planar I420.
public struct VideoFormat: Sendable, Hashable {
    /// In pixels, even.
    public var width: Int
    /// In pixels, even.
    public var height: Int
    /// Frames per second.
    public var framesPerSecond: Int

    /// The default is 640x360 at 30 frames per second.
    public init(width: Int = 640, height: Int = 360, framesPerSecond: Int = 30) {
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }

    var caps: String {
        // Without the last of these a scaler would keep the shape by pixels that are not square, of which no encoder tells the peer.
        "video/x-raw,format=I420,width=\(width),height=\(height),framerate=\(framesPerSecond)/1,pixel-aspect-ratio=1/1"
    }
}
