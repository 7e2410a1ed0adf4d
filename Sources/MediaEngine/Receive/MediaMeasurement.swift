/// What is measured of decoded media for whoever asks.
///
/// Each makes the processor look into the media itself, beside what is counted in any case.
public enum MediaMeasurement: String, Sendable, Hashable, CaseIterable {
    /// The pitch of a tone: ``PeerStatistics/Received/toneHz``.
    case pitch
    /// How loud the sound is: ``PeerStatistics/Received/audioLevel`` and the energy, and the same in a ``StatisticsReport``.
    case level
    /// Which pictures differ from the one before: ``PeerStatistics/Received/distinctFrames``. Keeps one decoded picture.
    case distinctFrames
}
