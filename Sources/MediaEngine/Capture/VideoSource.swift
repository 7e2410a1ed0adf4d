/// Where the pictures that are sent come from.
public struct VideoSource: Sendable, Hashable {
    /// The name of a pipeline description with the role `video-source`.
    public var name: String
    /// What the description's placeholder `choice` is set to, such as a test pattern; nil leaves its default.
    public var choice: String?
    /// The size and rate of the pictures.
    public var format: VideoFormat

    /// Names a source by its pipeline description.
    public init(name: String, choice: String? = nil, format: VideoFormat = VideoFormat()) {
        self.name = name
        self.choice = choice
        self.format = format
    }

    /// Reads a source as the command line writes it: `test`, `test:ball`, or the name of a pipeline description.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when it is empty. Whether the description exists shows when
    ///   the source is opened.
    public init(parsing text: String, format: VideoFormat = VideoFormat()) throws(MediaError) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let name = parts.first else {
            throw .unknownChoice(kind: "video source", value: text, known: ["test", "none"])
        }
        self.init(name: name, choice: parts.count > 1 ? parts[1] : nil, format: format)
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

    var values: [String: String] {
        var values = ["caps": format.caps]
        values["choice"] = choice
        return values
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
        "video/x-raw,format=I420,width=\(width),height=\(height),framerate=\(framesPerSecond)/1"
    }
}
