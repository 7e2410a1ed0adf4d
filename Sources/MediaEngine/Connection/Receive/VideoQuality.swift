/// How well received video arrived.
///
/// What is nil was not measured: it needs ``MediaMeasurement/frameMarks``, and a sender whose source marks its frames (`clock`).
public struct VideoQuality: Sendable, Equatable, Codable {
    /// The duration of the longest freeze, in ms; 0 without one.
    ///
    /// Measured by the times at which frames are shown, as W3C's `freezeCount`: when they are decoded, but not before ``playoutDelayMs`` is over.
    /// Video that stopped two seconds ago or earlier, and was to go on, is frozen, too; video that the peer announced as muted, off or held is not.
    public var longestFreezeMs: Double
    /// The longest time in which decoded frames did not differ, in ms, without what the peer announced as muted; nil unless
    /// ``MediaMeasurement/distinctFrames`` is enabled.
    public var longestStillMs: Double?
    /// How much later than they could be without any wait video and audio are shown and played at present, in ms; it follows the path.
    public var playoutDelayMs = 0.0
    /// Decoded frames whose mark could be read.
    public var framesMarked: Int?
    /// Frames that the source delivered and that were never decoded: lost, dropped by an encoder, or left out by an adaptation.
    ///
    /// Counted between the first and the last mark. 10 s or 300 frames that do not arrive, more than 250 ms of frames without a mark (muted video)
    /// and a closed gate (hold) are pauses, not missing frames.
    public var framesMissing: Int?
    /// Frames that were decoded again right after they had been.
    public var framesRepeated: Int?
    /// Frames that were decoded after a later one.
    public var framesReordered: Int?
    /// The time from the capture of a frame until it is shown, at the earliest; it is as exact as the clocks of the two machines agree.
    ///
    /// With the wait of ``playoutDelayMs``, and without what a sink adds.
    public var delayMs: Distribution?
    /// The peak signal-to-noise ratio of luma, in dB, from 0 to 60, of one in ten marked frames: over the band of waves at their bottom, which is known.
    ///
    /// Compared at the size at which the frame was decoded, so a smaller frame is not worse. From 35 on a difference is hardly seen. Frames that are
    /// less than 108 pixels high are not compared.
    public var psnrDb: Distribution?
    /// The structural similarity (SSIM) of the same, 1 for equal pixels.
    public var ssim: Distribution?

    /// Makes a record.
    public init(longestFreezeMs: Double = 0) { self.longestFreezeMs = longestFreezeMs }
}
