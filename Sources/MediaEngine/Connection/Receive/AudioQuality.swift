/// How well received audio arrived.
///
/// It needs ``MediaMeasurement/audioTicks``, and a sender whose source is ``AudioSource/clock(hertz:)``: a steady tone that ticks.
public struct AudioQuality: Sendable, Equatable, Codable {
    /// Ticks that were heard at most 12 s after another one; there is one each second.
    public var ticks = 0
    /// How often the tone was interrupted for 10 ms to 10 s: packets were lost and could not be concealed, or the sender had nothing to send.
    ///
    /// Longer interruptions are pauses, and so is what the peer announced: muted audio, and a hold. Audio that ended two seconds ago or earlier, and was
    /// to go on, is a gap of any length. Faults between two ticks count, as do ``clickCount``; lengths are right to 5 ms.
    public var gapCount = 0
    /// The total length of the gaps, in ms.
    public var totalGapsMs = 0.0
    /// The longest gap, in ms; 0 without one.
    public var longestGapMs = 0.0
    /// How often the tone jumped within less than a ms.
    public var clickCount = 0
    /// The time from the capture of a sample until it is played, at the earliest; as exact as the clocks of the two machines agree.
    ///
    /// From -100 to 900 ms; a longer delay appears as a shorter one.
    public var delayMs: Distribution?
    /// How much later audio is to be played than the video that was captured at the same time, in ms; negative: earlier.
    ///
    /// Needs ``MediaMeasurement/frameMarks`` and video whose frames have marks. The clocks of the machines do not count. From -500 to 500 ms.
    public var videoOffsetMs: Distribution?

    /// Makes an empty record.
    public init() {}
}
