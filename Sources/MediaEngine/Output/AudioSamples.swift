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
