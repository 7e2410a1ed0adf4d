public import Logging

/// Audio that the application makes: signed samples of 16 bits, interleaved if there are several channels.
///
/// Choose ``source`` for a call, then push. Samples are sent when they are pushed, so push 10 or 20 ms every 10 or 20 ms. Calls send mono at 48 kHz,
/// whatever you push. Any thread may push, one at a time.
public final class AudioInput: Sendable, Hashable {
    /// The most pushes that wait; one more is dropped.
    public static let queueLength = 20

    /// Samples per second of each channel.
    public let sampleRate: Int
    /// The number of channels.
    public let channels: Int
    private let queue: PushQueue

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a rate outside 8000 to 192000, or other than one or two channels.
    public init(
        sampleRate: Int = 48_000, channels: Int = 1, logger: Logger = Logger(label: "media")
    ) throws(MediaError) {
        guard (8_000...192_000).contains(sampleRate), (1...2).contains(channels) else {
            throw .unknownChoice(
                kind: "shape of audio to push", value: "\(sampleRate) Hz, \(channels) channels",
                known: ["8000 to 192000 Hz", "1 or 2 channels"])
        }
        self.sampleRate = sampleRate
        self.channels = channels
        queue = PushQueue(
            limit: Self.queueLength,
            caps: "audio/x-raw,format=S16LE,rate=\(sampleRate),channels=\(channels),layout=interleaved", logger: logger)
    }

    /// How many pushes were accepted, were dropped, and arrived while no call used the source.
    public func count(_ outcome: PushOutcome) -> Int { queue.count(outcome) }

    /// The source to choose for a call.
    public var source: AudioSource {
        var source = AudioSource(name: "samples")
        source.input = self
        return source
    }

    /// Pushes samples; copies them and never blocks.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for no samples, more than a second, or an incomplete frame.
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

    /// True for the same object.
    public static func == (one: AudioInput, other: AudioInput) -> Bool { one === other }

    /// Hashes by identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
