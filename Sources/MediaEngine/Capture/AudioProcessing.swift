/// How audio is processed before it is sent (`webrtcdsp`).
public enum AudioProcessing: String, Sendable, Hashable, CaseIterable {
    /// No processing.
    case off
    /// For speech: removes the echo of what is played here, reduces noise, levels the volume, and cuts everything below some 80 Hz.
    case voice
    /// For music: removes the echo of what is played here, and nothing else, since noise suppression mistakes tones for noise.
    case music
}
