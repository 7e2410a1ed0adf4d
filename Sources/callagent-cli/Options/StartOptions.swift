internal import ArgumentParser
internal import CallAgent

/// The media state at the start of calls; `--at` changes it later.
struct StartOptions: ParsableArguments {
    @Flag(help: "Start with the audio muted: silence is sent, and the microphone is open.")
    var startMuted = false

    @Flag(help: "Start without audio: the microphone stays closed.")
    var startAudioOff = false

    @Flag(help: "Start with the video muted: black frames are sent, and the camera is open.")
    var startVideoMuted = false

    @Flag(help: "Start without video: the camera stays closed.")
    var startVideoOff = false

    @Flag(help: "Start without playing the peer's audio.")
    var startOutputOff = false

    func validate() throws {
        guard !(startMuted && startAudioOff) else {
            throw ValidationError("--start-muted and --start-audio-off exclude each other")
        }
        guard !(startVideoMuted && startVideoOff) else {
            throw ValidationError("--start-video-muted and --start-video-off exclude each other")
        }
    }

    /// Whether a call begins with other media than usual.
    var changesMedia: Bool { audio != nil || video != nil || startOutputOff }

    /// The state of the sent audio; nil: use the default.
    var audio: MediaState.Sending? { startAudioOff ? .off : startMuted ? .muted : nil }

    /// The state of the sent video; nil: use the default.
    var video: MediaState.Sending? { startVideoOff ? .off : startVideoMuted ? .muted : nil }
}
