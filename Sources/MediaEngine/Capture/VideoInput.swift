public import Logging

/// Pictures that the application makes.
///
/// Choose ``source(format:)`` for a call, then push. A picture is sent at the moment at which it is pushed; size and rate of what is sent are those
/// of the source's format, whatever is pushed; what has another shape gets bars. Any thread may push, one at a time.
public final class VideoInput: Sendable, Hashable {
    /// How many pictures wait at most; one more is dropped.
    public static let queueLength = 3

    /// In pixels, a multiple of 4, so that no row needs padding.
    public let width: Int
    /// In pixels, even.
    public let height: Int
    /// The arrangement of the bytes, without padding between the rows.
    public let pixelFormat: PixelFormat
    private let queue: PushQueue

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a size that is odd, or beyond 16384.
    public init(
        width: Int, height: Int, pixelFormat: PixelFormat = .i420, logger: Logger = Logger(label: "media")
    ) throws(MediaError) {
        guard (4...16_384).contains(width), width % 4 == 0, (2...16_384).contains(height), height % 2 == 0 else {
            throw .unknownChoice(
                kind: "size of pictures to push", value: "\(width)x\(height)",
                known: ["widths that 4 divides, heights that 2 divides, up to 16384"])
        }
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        queue = PushQueue(
            limit: Self.queueLength,
            // The rate only says how often the sender's own rate looks; each picture has the time at which it came.
            caps: "video/x-raw,format=\(pixelFormat.rawValue),width=\(width),height=\(height),framerate=0/1",
            logger: logger)
    }

    /// The bytes of one picture.
    public var byteCount: Int { pixelFormat.byteCount(width * height) }

    /// How many pictures were sent on their way, were too many, and came while no call used the source.
    public func count(_ outcome: PushOutcome) -> Int { queue.count(outcome) }

    /// What a call is given, with the size and rate that are sent.
    public func source(format: VideoFormat = VideoFormat()) -> VideoSource {
        var source = VideoSource(name: "frames", format: format)
        source.input = self
        return source
    }

    /// How far from the present the time of a picture may be.
    public static let longestDelay = Duration.seconds(2)

    /// Pushes one picture; copies the bytes and never blocks.
    ///
    /// `time` is when it was taken, on the clock of ``VideoFrame/time`` (the system's monotonic one); nil means now. Pictures keep their times however
    /// unevenly they are pushed; one that is not later than the one before is not sent.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when the bytes are not ``byteCount``, or `time` is further from the present
    ///   than ``longestDelay``.
    @discardableResult
    public func push(_ bytes: UnsafeRawBufferPointer, at time: Duration? = nil) throws(MediaError) -> PushOutcome {
        guard bytes.count == byteCount else {
            throw .unknownChoice(kind: "length of a picture", value: "\(bytes.count)", known: ["\(byteCount) bytes"])
        }
        guard let time else { return queue.push(bytes) }
        let now = Duration.nanoseconds(Pipeline.now)
        guard (now - Self.longestDelay...now + Self.longestDelay).contains(time) else {
            throw .unknownChoice(
                kind: "time of a picture", value: "\(time)", known: ["\(now) give or take \(Self.longestDelay)"])
        }
        return queue.push(bytes, at: UInt64(time / .nanoseconds(1)))
    }

    /// Pushes one picture when there is room: whoever makes pictures faster than they are sent is held back.
    ///
    /// - Returns: ``PushOutcome/dropped`` when there was no room for a second.
    @discardableResult
    public func push(_ picture: [UInt8], at time: Duration? = nil) async throws(MediaError) -> PushOutcome {
        _ = await queue.hasRoom(within: .seconds(1))
        let result = picture.withUnsafeBytes { bytes in
            Result { () throws(MediaError) in try push(bytes, at: time) }
        }
        return try result.get()
    }

    func bind(_ bin: Element) throws(MediaError) { try queue.bind(bin) }

    /// The same object.
    public static func == (one: VideoInput, other: VideoInput) -> Bool { one === other }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
