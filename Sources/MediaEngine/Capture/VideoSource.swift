/// The source of the video that this end sends.
public struct VideoSource: Sendable, Hashable {
    /// The name of a pipeline description with the role `video-source` or `av-source`.
    public var name: String
    /// The value of the description's placeholder `choice`: a test pattern, a device, a file, a URL; nil leaves its default.
    public var choice: String?
    /// The size and rate of the frames.
    public var format: VideoFormat
    /// The orientation of the frames; a quarter turn swaps the width and height of ``format``.
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
    /// | text | video |
    /// |---|---|
    /// | `test`, `test:PATTERN` | a test pattern, any of GStreamer's `videotestsrc` |
    /// | `clock`, `clock:PATTERN` | the same with a frame counter and the time of day (UTC) burnt in |
    /// | `busy` | as much detail and motion as a camera has, so that it needs as many bits |
    /// | `v4l2:/dev/video0` | a camera, in the format that fits the size and rate best |
    /// | `rtsp://…`, `rtspu://…` | a network camera, by TCP or by UDP |
    /// | `file:clip.mkv` | a file, played in a loop |
    /// | `image:pause.png` | a still image, a PNG or JPEG file |
    /// | `screen`, `screen::1` | an X display; Xlib ends the process when the display's server goes away |
    /// | `NAME`, `NAME:CHOICE` | the pipeline description of that name |
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when the text is empty. Opening the source shows whether the description exists.
    public init(parsing text: String, format: VideoFormat = VideoFormat()) throws(MediaError) {
        guard let (name, choice) = SourceText.parts(text) else {
            throw .unknownChoice(kind: "video source", value: text, known: ["test", "none"])
        }
        self.init(name: name, choice: choice, format: format)
    }

    /// A moving test pattern.
    public static func test(_ pattern: TestPattern = .ball, format: VideoFormat = VideoFormat()) -> VideoSource {
        VideoSource(name: "test", choice: pattern.rawValue, format: format)
    }

    /// A moving test pattern whose frames have a number, their capture time and a known band of waves, which ``VideoQuality`` is measured by.
    public static func marked(_ pattern: TestPattern = .ball, format: VideoFormat = VideoFormat()) -> VideoSource {
        VideoSource(name: "clock", choice: pattern.rawValue, format: format)
    }

    /// The moving test patterns.
    public enum TestPattern: String, Sendable, CaseIterable {
        /// A white ball that bounces.
        case ball
        /// Colour bars with a patch of noise.
        case smpte
        /// Noise.
        case snow
    }
}

/// The size and rate of raw frames; their pixels are planar I420, and square.
///
/// Frames of another shape are never stretched or cropped: they are scaled to fit, with black bars at two sides. To send a 4:3 camera without bars,
/// choose a 4:3 size, such as 640x480.
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
        // Without the last field a scaler would keep the shape by non-square pixels, and no encoder signals those to the peer.
        "video/x-raw,format=I420,width=\(width),height=\(height),framerate=\(framesPerSecond)/1,pixel-aspect-ratio=1/1"
    }
}

/// How frames are turned before they are sent.
public enum VideoOrientation: String, Sendable, Hashable, CaseIterable {
    /// As they are captured.
    case upright = "0"
    /// A quarter turn clockwise; swaps width and height.
    case quarter = "90"
    /// Upside down.
    case half = "180"
    /// A quarter turn counter-clockwise; swaps width and height.
    case threeQuarters = "270"
    /// Mirrored left to right.
    case mirrored = "mirror"
    /// Mirrored top to bottom.
    case flipped = "flip"
    /// As the device or the file specifies; upright if it does not.
    case automatic = "auto"

    /// The value's nick in `videoflip`'s property `video-direction`.
    var direction: String {
        switch self {
        case .upright: "identity"
        case .quarter: "90r"
        case .half: "180"
        case .threeQuarters: "90l"
        case .mirrored: "horiz"
        case .flipped: "vert"
        case .automatic: "auto"
        }
    }
}
