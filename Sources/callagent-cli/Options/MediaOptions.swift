internal import ArgumentParser
internal import CallAgent
internal import Logging
internal import MediaEngine

/// What a command's calls send and how.
struct MediaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The pictures to send: test[:PATTERN], clock[:PATTERN] (with a frame counter and the time of day), v4l2:/dev/videoN, "
                + "rtsp://URL, file:PATH, screen[:DISPLAY], none, or the name of a pipeline description.",
            valueName: "source"))
    var video = "test"

    @Option(
        help: ArgumentHelp(
            "The sound to send: tone[:HERTZ], speech, silence, mic, pipewire[:NODE], pulse[:DEVICE], alsa[:DEVICE], rtsp://URL, "
                + "file:PATH, none, or the name of a pipeline description.", valueName: "source"))
    var audio = "tone"

    @Option(
        help: ArgumentHelp(
            "What is done to the sound before it is sent: voice takes out echo and noise and evens the level, music takes out echo "
                + "only; default: voice for microphones, off for everything else.", valueName: "off|voice|music"))
    var audioProcessing: AudioProcessing?

    @Option(
        help: ArgumentHelp(
            "The size and rate of the pictures to send; what has another shape gets bars at two sides.",
            valueName: "WIDTHxHEIGHT[@FPS]"))
    var videoSize = "640x360"

    @Option(
        help: ArgumentHelp(
            "How the pictures are turned before they are sent; a quarter turn makes height of width.",
            valueName: "0|90|180|270|mirror|flip|auto"))
    var videoOrientation: VideoOrientation = .upright

    @OptionGroup var codecs: CodecOptions

    @Option(
        help: ArgumentHelp(
            "Where the peer's pictures go once a call is connected: discard, window, v4l2:/dev/videoN (v4l2loopback), or the name of a "
                + "pipeline description.", valueName: "sink"))
    var sinkVideo = "discard"

    @Option(
        help: ArgumentHelp(
            "Where the peer's sound goes once a call is connected: discard, speaker, pipewire[:NODE], pulse[:DEVICE], alsa[:DEVICE], or "
                + "the name of a pipeline description.", valueName: "sink"))
    var sinkAudio = "discard"

    @Option(
        help: ArgumentHelp(
            "Show the pictures to send, before and during calls: window, or any other video sink.", valueName: "sink"))
    var preview: String?

    @Option(
        help: ArgumentHelp(
            "Record what arrives once a call is connected: .mkv, .webm (VP8, VP9) or .mp4 (H264); calls use the codecs that it can hold.",
            valueName: "file"))
    var record: String?

    @Flag(help: "Record what is sent, too: into NAME.sent.mkv beside NAME.mkv.")
    var recordSent = false

    @Option(
        help: ArgumentHelp(
            "A folder with pipeline descriptions of your own, which come before the built-in ones.", valueName: "folder"
        ))
    var pipelines: String?

    @OptionGroup var ice: IceOptions

    /// Everything checked that can be checked before a call.
    func configuration(engine: MediaEngine, signalingHost: String) async throws -> MediaConfiguration {
        do {
            var configuration = MediaConfiguration(video: nil, audio: nil)
            // Reports, expectations and statistics name all of it.
            configuration.measurements = Set(MediaMeasurement.allCases)
            configuration.video = try videoSource()
            configuration.audio = try audioSource()
            if let source = configuration.video { try await engine.check(source) }
            if let source = configuration.audio { try await engine.check(source) }
            try await codecs.apply(to: &configuration, engine: engine)
            configuration.videoCodecs = try RecordingPath.codecs(configuration.videoCodecs, for: record)
            configuration.recordingPath = try RecordingPath.checked(record, sent: recordSent)
            configuration.recordsSent = recordSent
            configuration.videoSink = try VideoSink(parsing: sinkVideo)
            configuration.audioSink = try AudioSink(parsing: sinkAudio)
            try await engine.check(configuration.videoSink)
            try await engine.check(configuration.audioSink)
            if let preview { try await engine.check(try VideoSink(parsing: preview)) }
            try ice.apply(to: &configuration, signalingHost: signalingHost)
            return configuration
        } catch let error as MediaError {
            throw Failure(error)
        }
    }

    /// Shows what calls will send; nil when that is not wanted or there are no pictures.
    func openPreview(_ engine: MediaEngine, logger: Logger) async throws -> CapturePreview? {
        guard let preview, let source = try videoSource() else { return nil }
        do throws(MediaError) {
            return try await engine.preview(try engine.capture(source), on: try VideoSink(parsing: preview)) { error in
                logger.warning("\(error)")
            }
        } catch {
            throw Failure(error)
        }
    }

    /// What is sent at the beginning; nil for no pictures.
    func videoSource() throws -> VideoSource? {
        guard video != "none" else { return nil }
        var source = try VideoSource(parsing: video, format: try format())
        source.orientation = videoOrientation
        return source
    }

    /// What is sent at the beginning; nil for no sound.
    func audioSource() throws -> AudioSource? {
        guard audio != "none" else { return nil }
        var source = try AudioSource(parsing: audio)
        source.processing = audioProcessing
        return source
    }

    /// The size and rate of the pictures.
    func format() throws -> VideoFormat {
        guard let format = VideoSizeArgument.format(videoSize) else {
            throw Failure(.usage, VideoSizeArgument.advice(videoSize))
        }
        return format
    }
}
