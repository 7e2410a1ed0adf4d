internal import Synchronization

/// Pictures or sound for the application, as they come; for one consumer.
///
/// Nobody waits for the application: when it is slower than what comes, the oldest that wait are dropped and counted. It ends with what it comes from,
/// and lets go of that when its consumer ends.
public struct FrameStream<Element: Sendable>: AsyncSequence, Sendable {
    /// Never fails.
    public typealias Failure = Never

    private let stream: AsyncStream<Element>
    private let count: DropCount

    /// How many were dropped so far since the application was too slow.
    public var dropped: Int { count.value.withLock { $0 } }

    /// The one consumer's.
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }

    /// Takes what `convert` makes of what leaves `outlet`; `buffering` is how many wait at most.
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
    func pictures(
        _ format: PixelFormat, buffering: Int, onEnd: @escaping @Sendable () -> Void = {}
    ) -> FrameStream<VideoFrame> {
        let copier = PictureCopier(format)
        return FrameStream(self, buffering: buffering, onEnd: onEnd) { copier.copy($0) }
    }

    func samples(buffering: Int, onEnd: @escaping @Sendable () -> Void = {}) -> FrameStream<AudioSamples> {
        FrameStream(self, buffering: buffering, onEnd: onEnd) { sound in
            guard let format = DecodedMeter.AudioFormat(caps: .structure(name: "", sound.caps.fields)) else {
                return nil
            }
            let samples = sound.buffer.withBytes { [Int16]($0.bindMemory(to: Int16.self)) }
            return samples.map {
                AudioSamples(
                    sampleRate: format.samplesPerSecond, channels: format.channels, time: sound.moment, samples: $0)
            }
        }
    }
}

/// The converter of the present shape.
private final class PictureCopier: Sendable {
    private struct Present {
        let caps: CapsRef
        let converter: PictureConverter?
    }
    private let present = Mutex<Present?>(nil)
    private let format: PixelFormat

    init(_ format: PixelFormat) { self.format = format }

    func copy(_ picture: OutletBuffer) -> VideoFrame? {
        present.withLock { present in
            if present?.caps.isSame(as: picture.caps) != true {
                present = Present(caps: picture.caps, converter: PictureConverter(from: picture.caps, to: format))
            }
            return present?.converter?.frame(of: picture.buffer, time: picture.moment)
        }
    }
}
