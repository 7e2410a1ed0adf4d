internal import ArgumentParser
internal import CallAgent

/// How calls begin; `--at` changes it later.
struct StartOptions: ParsableArguments {
    @Flag(help: "Begin with the sound muted: silence is sent, and the microphone is open.")
    var startMuted = false

    @Flag(help: "Begin with the pictures muted: black ones are sent, and the camera is open.")
    var startVideoMuted = false

    @Flag(help: "Begin without pictures: the camera stays closed.")
    var startVideoOff = false

    @Flag(help: "Begin without playing the sound of the other side.")
    var startOutputOff = false

    func validate() throws {
        guard !(startVideoMuted && startVideoOff) else {
            throw ValidationError("--start-video-muted and --start-video-off exclude each other")
        }
    }

    /// Nil for what begins as ever.
    var audio: MediaState.Sending? { startMuted ? .muted : nil }

    /// Nil for what begins as ever.
    var video: MediaState.Sending? { startVideoOff ? .off : startVideoMuted ? .muted : nil }
}
