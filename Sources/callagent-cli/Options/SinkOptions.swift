internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// Where a command's calls put what they receive.
struct SinkOptions: ParsableArguments {
    @Flag(help: "Fail with exit code 5 if no media of a kind that the call had was received from the peer.")
    var requireMedia = false

    @Option(
        help: ArgumentHelp(
            "Where the peer's video goes once a call is connected: discard, window, v4l2:/dev/videoN (v4l2loopback), or the name of a "
                + "pipeline description.", valueName: "sink"))
    var sinkVideo = "discard"

    @Option(
        help: ArgumentHelp(
            "Where the peer's audio goes once a call is connected: discard, speaker, pipewire[:NODE], pulse[:DEVICE], alsa[:DEVICE], or "
                + "the name of a pipeline description.", valueName: "sink"))
    var sinkAudio = "discard"

    @Option(
        help: ArgumentHelp(
            "Record the received media once a call is connected: .mkv, .webm (VP8, VP9) or .mp4 (H264). Calls use the codecs that the file can hold. %p in the "
                + "file's name stands for the peer.",
            valueName: "file"))
    var record: String?

    @Flag(help: "Also record the sent media: into NAME.sent.mkv beside NAME.mkv.")
    var recordSent = false

    /// Sets the sinks and the recording, with every check that is possible before a call.
    func apply(to configuration: inout MediaConfiguration, engine: Engine) async throws {
        configuration.videoCodecs = try RecordingPath.codecs(configuration.videoCodecs, for: record)
        configuration.audioCodecs = try RecordingPath.codecs(configuration.audioCodecs, for: record)
        configuration.outputs.recordingPath = try RecordingPath.checked(record, sent: recordSent)
        configuration.outputs.recordsSent = recordSent
        configuration.outputs.videoSink = try VideoSink(parsing: sinkVideo)
        configuration.outputs.audioSink = try AudioSink(parsing: sinkAudio)
        try await engine.check(configuration.outputs.videoSink)
        try await engine.check(configuration.outputs.audioSink)
    }
}
