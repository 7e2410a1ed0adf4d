/// What arrived that is not as the peer had announced.
///
/// All is 0 unless something is wrong; a dark or quiet place is black or silent, too.
///
/// ``MediaOutputs/expect(_:of:announcedAt:)`` tells what the peer announced.
public struct BrokenAnnouncements: Sendable, Equatable {
    /// Decoded frames that were not black, of muted video; nil for audio, and unless ``MediaMeasurement/blankMedia`` is enabled.
    public var framesWhileMuted: Int?
    /// The duration of decoded audio that was not silent, of muted audio, in ms; nil for video, and unless ``MediaMeasurement/blankMedia`` is enabled.
    public var audibleMsWhileMuted: Double?
    /// Decoded frames that were black, of video that was neither muted nor off; nil for audio, and unless ``MediaMeasurement/blankMedia`` is enabled.
    public var blackFrames: Int?
    /// The duration of decoded audio that was silent, of audio that was neither muted nor off, in ms; nil for video, and unless
    /// ``MediaMeasurement/blankMedia`` is enabled.
    public var silentMs: Double?
    /// RTP packets of media that the peer had turned off.
    public var packetsWhileOff = 0
    /// RTP packets of media that was not to be sent because the call was held.
    public var packetsWhileHeld = 0

    /// Makes an empty record.
    public init() {}
}
