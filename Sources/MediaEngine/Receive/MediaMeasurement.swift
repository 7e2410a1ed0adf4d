/// An optional measurement of decoded media.
///
/// Each one costs processor time, since it reads the media itself; the counters run in any case.
public enum MediaMeasurement: String, Sendable, Hashable, CaseIterable {
    /// The pitch of a tone: ``PeerStatistics/Received/toneHz``.
    case pitch
    /// How loud the audio is: ``PeerStatistics/Received/audioLevel`` and the energy, and the same in a ``StatisticsReport``.
    case level
    /// Which frames differ from the one before: ``PeerStatistics/Received/distinctFrames``. Keeps one decoded frame.
    case distinctFrames
    /// Which frames of a source that marks them are missing, repeated or out of order, and how old they are: ``VideoQuality``.
    case frameMarks
}
