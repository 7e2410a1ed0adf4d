public import Logging

/// Video frames that the application makes.
///
/// Choose ``source(format:)`` for a call, then push. A frame is sent when it is pushed. Calls send the size and rate of the source's format, whatever
/// you push; frames of another shape get bars. Any thread may push, one at a time.
public final class VideoInput: Sendable, Hashable {
    /// The most frames that wait; one more is dropped.
    public static let queueLength = 3

    /// In pixels, a multiple of 4, so that no row needs padding.
    public let width: Int
    /// In pixels, even.
    public let height: Int
    /// The layout of the bytes, without padding between the rows.
    public let pixelFormat: PixelFormat
    private let queue: PushQueue

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a width that is not a multiple of 4, an odd height, or a size beyond 16384.
    public init(
        width: Int, height: Int, pixelFormat: PixelFormat = .i420, logger: Logger = Logger(label: "media")
    ) throws(MediaError) {
        guard (4...16_384).contains(width), width % 4 == 0, (2...16_384).contains(height), height % 2 == 0 else {
            throw .unknownChoice(
                kind: "size of frames to push", value: "\(width)x\(height)",
                known: ["widths that 4 divides, heights that 2 divides, up to 16384"])
        }
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        queue = PushQueue(
            limit: Self.queueLength,
            // The rate is variable: each frame has its own time, and the source's rate applies to what is sent.
            caps: "video/x-raw,format=\(pixelFormat.rawValue),width=\(width),height=\(height),framerate=0/1",
            logger: logger)
    }

    /// The bytes of one frame.
    public var byteCount: Int { pixelFormat.byteCount(width * height) }

    /// How many frames were accepted, were dropped, and arrived while no call used the source.
    public func count(_ outcome: PushOutcome) -> Int { queue.count(outcome) }

    /// The source to choose for a call, with the size and rate to send.
    public func source(format: VideoFormat = VideoFormat()) -> VideoSource {
        var source = VideoSource(name: "frames", format: format)
        source.input = self
        return source
    }

    /// The most that a frame's time may differ from the present.
    public static let longestDelay = Duration.seconds(2)

    /// Pushes one frame; copies the bytes and never blocks.
    ///
    /// `time` is the capture time, on the clock of ``VideoFrame/time`` (the system's monotonic one); nil means now. Frames keep their times even if
    /// they are pushed unevenly. A frame that is not later than the previous one is not sent.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when the number of bytes is not ``byteCount``, or `time` differs from the present by
    ///   more than ``longestDelay``.
    @discardableResult
    public func push(_ bytes: UnsafeRawBufferPointer, at time: Duration? = nil) throws(MediaError) -> PushOutcome {
        guard bytes.count == byteCount else {
            throw .unknownChoice(kind: "length of a frame", value: "\(bytes.count)", known: ["\(byteCount) bytes"])
        }
        guard let time else { return queue.push(bytes) }
        let now = Duration.nanoseconds(Pipeline.now)
        guard (now - Self.longestDelay...now + Self.longestDelay).contains(time) else {
            throw .unknownChoice(
                kind: "time of a frame", value: "\(time)", known: ["\(now) give or take \(Self.longestDelay)"])
        }
        return queue.push(bytes, at: UInt64(time / .nanoseconds(1)))
    }

    /// Waits for room, then pushes one frame; this slows down an application that makes frames faster than they are sent.
    ///
    /// - Returns: ``PushOutcome/dropped`` when there was no room for a second.
    @discardableResult
    public func push(_ frame: [UInt8], at time: Duration? = nil) async throws(MediaError) -> PushOutcome {
        _ = await queue.hasRoom(within: .seconds(1))
        let result = frame.withUnsafeBytes { bytes in
            Result { () throws(MediaError) in try push(bytes, at: time) }
        }
        return try result.get()
    }

    func bind(_ bin: Element) throws(MediaError) { try queue.bind(bin) }

    /// True for the same object.
    public static func == (one: VideoInput, other: VideoInput) -> Bool { one === other }

    /// Hashes by identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
