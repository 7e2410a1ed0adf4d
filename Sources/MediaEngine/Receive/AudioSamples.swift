/// Raw sound for the application, in memory of its own: what one packet held.
public struct AudioSamples: Sendable, Equatable {
    /// Samples of one channel per second.
    public let sampleRate: Int
    /// How many channels there are.
    public let channels: Int
    /// When the first is to be heard, on the machine's monotonic clock, which ``VideoFrame`` and all calls of this machine share.
    public let time: Duration
    /// Signed 16-bit samples, those of all channels at one moment side by side.
    public let samples: [Int16]
}
