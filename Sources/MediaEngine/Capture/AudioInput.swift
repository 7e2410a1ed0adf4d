public import Logging

/// Sound that the application makes: signed samples of 16 bits, those of several channels in turn.
///
/// Choose ``source`` for a call, then push. Sound is sent at the moment at which it is pushed, so 10 or 20 ms are pushed every 10 or 20 ms. What is sent is
/// mono at 48 kHz, whatever is pushed. Any thread may push, one at a time.
public final class AudioInput: Sendable, Hashable {
    /// How many pushes wait at most; one more is dropped.
    public static let queueLength = 20

    /// Samples per second of each channel.
    public let sampleRate: Int
    /// How many channels there are.
    public let channels: Int
    private let queue: PushQueue

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a rate beyond 8000 to 192000, or not one or two channels.
    public init(
        sampleRate: Int = 48_000, channels: Int = 1, logger: Logger = Logger(label: "media")
    ) throws(MediaError) {
        guard (8_000...192_000).contains(sampleRate), (1...2).contains(channels) else {
            throw .unknownChoice(
                kind: "shape of sound to push", value: "\(sampleRate) Hz, \(channels) channels",
                known: ["8000 to 192000 Hz", "1 or 2 channels"])
        }
        self.sampleRate = sampleRate
        self.channels = channels
        queue = PushQueue(
            limit: Self.queueLength,
            caps: "audio/x-raw,format=S16LE,rate=\(sampleRate),channels=\(channels),layout=interleaved", logger: logger)
    }

    /// How many pushes were sent on their way, were too many, and came while no call used the source.
    public func count(_ outcome: PushOutcome) -> Int { queue.count(outcome) }

    /// What a call is given.
    public var source: AudioSource {
        var source = AudioSource(name: "samples")
        source.input = self
        return source
    }

    /// Pushes samples; copies them and never blocks.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` when there are none, more than a second, or a part of a frame.
    @discardableResult
    public func push(_ samples: [Int16]) throws(MediaError) -> PushOutcome {
        guard !samples.isEmpty, samples.count % channels == 0, samples.count <= sampleRate * channels else {
            throw .unknownChoice(
                kind: "number of samples", value: "\(samples.count)",
                known: ["a multiple of \(channels), at most \(sampleRate * channels)"])
        }
        return samples.withUnsafeBytes { queue.push($0) }
    }

    func bind(_ bin: Element) throws(MediaError) { try queue.bind(bin) }

    /// The same object.
    public static func == (one: AudioInput, other: AudioInput) -> Bool { one === other }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
