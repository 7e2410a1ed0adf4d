/// What arrived although the peer had announced that it sends no such thing: all 0 unless something is wrong.
///
/// ``MediaOutputs/expect(_:of:announcedAt:)`` tells what the peer announced.
public struct BrokenAnnouncements: Sendable, Equatable {
    /// Decoded frames that were not black, of muted video; nil for audio, and unless ``MediaMeasurement/mutedMedia`` is enabled.
    public var framesWhileMuted: Int?
    /// The duration of decoded audio that was not silent, of muted audio, in ms; nil for video, and unless ``MediaMeasurement/mutedMedia`` is enabled.
    public var audibleMsWhileMuted: Double?
    /// RTP packets of media that the peer had turned off.
    public var packetsWhileOff = 0
    /// RTP packets of media that was not to be sent because the call was held.
    public var packetsWhileHeld = 0

    /// Makes an empty record.
    public init() {}
}
