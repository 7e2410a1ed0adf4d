/// What is done to sound before it is sent (`webrtcdsp`).
public enum AudioProcessing: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case off
    /// For somebody who speaks: no echo of what is played here, less noise, an even level, nothing below some 80 Hz.
    case voice
    /// For music: no echo of what is played here, and nothing else, since noise suppression takes tones for noise.
    case music
}
