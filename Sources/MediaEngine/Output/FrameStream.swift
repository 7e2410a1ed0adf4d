internal import Synchronization

/// Video frames or audio for the application, as they arrive; for one consumer.
///
/// The pipeline does not wait for the application: if the application is too slow, the oldest waiting elements are dropped and counted.
/// The stream ends with its source, and releases the source when its consumer ends.
public struct FrameStream<Element: Sendable>: AsyncSequence, Sendable {
    /// Never fails.
    public typealias Failure = Never

    private let stream: AsyncStream<Element>
    private let count: DropCount

    /// How many elements were dropped so far because the application was too slow.
    public var dropped: Int { count.value.withLock { $0 } }

    /// Makes the iterator for the one consumer.
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }

    /// Delivers what `convert` makes of the buffers of `outlet`; at most `buffering` elements wait.
    ///
    /// `convert` runs on the streaming thread; `onEnd` is called when the consumer ends.
    init(
        _ outlet: Outlet, buffering: Int, onEnd: @escaping @Sendable () -> Void = {},
        convert: @escaping @Sendable (OutletBuffer) -> Element?
    ) {
        let count = DropCount()
        self.count = count
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(Swift.max(1, buffering)))
        self.stream = stream
        let number = outlet.add { buffer in
            guard let element = convert(buffer) else { return }
            if case .dropped = continuation.yield(element) { count.value.withLock { $0 += 1 } }
        } onEnd: {
            continuation.finish()
        }
        continuation.onTermination = { _ in
            outlet.remove(number)
            onEnd()
        }
    }
}

private final class DropCount: Sendable {
    let value = Mutex(0)
}

extension Outlet {
    func frames(
        _ format: PixelFormat, buffering: Int, onEnd: @escaping @Sendable () -> Void = {}
    ) -> FrameStream<VideoFrame> {
        let copier = FrameCopier(format)
        return FrameStream(self, buffering: buffering, onEnd: onEnd) { copier.copy($0) }
    }

    func samples(buffering: Int, onEnd: @escaping @Sendable () -> Void = {}) -> FrameStream<AudioSamples> {
        FrameStream(self, buffering: buffering, onEnd: onEnd) { audio in
            guard let format = SampleFormat(caps: .structure(name: "", audio.caps.fields)) else {
                return nil
            }
            let samples = audio.buffer.withBytes { [Int16]($0.bindMemory(to: Int16.self)) }
            return samples.map {
                AudioSamples(
                    sampleRate: format.samplesPerSecond, channels: format.channels, time: audio.moment, samples: $0)
            }
        }
    }
}

/// Copies frames with a converter for their present shape.
private final class FrameCopier: Sendable {
    private struct Present {
        let caps: CapsRef
        let converter: FrameConverter?
    }
    private let present = Mutex<Present?>(nil)
    private let format: PixelFormat

    init(_ format: PixelFormat) { self.format = format }

    func copy(_ frame: OutletBuffer) -> VideoFrame? {
        present.withLock { present in
            if present?.caps.isSame(as: frame.caps) != true {
                present = Present(caps: frame.caps, converter: FrameConverter(from: frame.caps, to: format))
            }
            return present?.converter?.frame(of: frame.buffer, time: frame.moment)
        }
    }
}

/// A raw video frame for the application, in its own memory.
public struct VideoFrame: Sendable, Equatable {
    /// The position of a plane.
    public struct Plane: Sendable, Equatable {
        /// The offset of its first row in ``VideoFrame/bytes``.
        public let offset: Int
        /// From the start of a row to the start of the next: GStreamer pads rows to a multiple of 4.
        public let bytesPerRow: Int
    }

    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// The arrangement of the bytes.
    public let pixelFormat: PixelFormat
    /// The planes in the order of the pixel format; with 4:2:0 the chroma planes have half as many rows, rounded up.
    public let planes: [Plane]
    /// When to present it, on the machine's monotonic clock, which ``AudioSamples`` and all calls of this machine share.
    public let time: Duration
    /// The bytes of all planes.
    public let bytes: [UInt8]
}

/// Raw audio of one packet for the application, in its own memory.
public struct AudioSamples: Sendable, Equatable {
    /// Samples of one channel per second.
    public let sampleRate: Int
    /// How many channels there are.
    public let channels: Int
    /// When to play the first sample, on the machine's monotonic clock, which ``VideoFrame`` and all calls of this machine share.
    public let time: Duration
    /// Signed 16-bit samples, interleaved by channel.
    public let samples: [Int16]
}
