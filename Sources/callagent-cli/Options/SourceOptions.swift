internal import ArgumentParser
internal import CallAgent
internal import Logging
internal import MediaEngine

/// What a command's calls send.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The video to send: \(SourceName.video), or the name of a pipeline description. "
                + "clock has a frame counter and the time of day: the receiver measures its quality.",
            valueName: "source"))
    var video = "test"

    @Option(
        help: ArgumentHelp(
            "The audio to send: \(SourceName.audio), or the name of a pipeline description. "
                + "clock is a tone with a tick each second, by which the receiver measures its quality. "
                + "(default: the audio of --video file:, else tone)",
            valueName: "source"))
    var audio: String?

    @Flag(
        help: ArgumentHelp(
            "Succeed although a source did not answer or was lost when the call ended. A moving test pattern or silence is sent in its place. Without "
                + "this flag such a call ends with exit code 5. A missing device or file always ends with exit code 7."
        ))
    var allowStandIn = false

    @Option(
        help: ArgumentHelp(
            "How the audio is processed before it is sent: voice removes echo and noise and evens the level, music removes only echo. "
                + "Default: voice for microphones, off for everything else.", valueName: "off|voice|music"))
    var audioProcessing: AudioProcessing?

    @Option(
        help: ArgumentHelp(
            "The size and rate of the video to send. A source of another shape gets bars at two sides.",
            valueName: "WIDTHxHEIGHT[@FPS]"))
    var videoSize = "640x360"

    @Option(
        help: ArgumentHelp(
            "How the video is rotated before it is sent. A quarter turn swaps width and height.",
            valueName: "0|90|180|270|mirror|flip|auto"))
    var videoOrientation: VideoOrientation = .upright

    @Option(
        help: ArgumentHelp(
            "Show the video to send, before and during calls: window, or any other video sink.", valueName: "sink"))
    var preview: String?

    /// Sets the sources, with every check that is possible before a call.
    func apply(to configuration: inout MediaConfiguration, engine: Engine) async throws {
        configuration.video = try videoSource()
        configuration.audio = try audioSource()
        if let source = configuration.video {
            try await SourceName.checked(video, "--video", SourceName.video) { try await engine.check(source) }
        }
        if let source = configuration.audio {
            try await SourceName.checked(audio ?? video, "--audio", SourceName.audio) { try await engine.check(source) }
        }
        if let preview { try await engine.check(try VideoSink(parsing: preview)) }
    }

    /// Shows the video that calls will send; nil without `--preview` or without video.
    func openPreview(_ engine: Engine, logger: Logger) async throws -> CapturePreview? {
        guard let preview, let source = try videoSource() else { return nil }
        do throws(MediaError) {
            return try await engine.preview(try engine.capture(source), on: try VideoSink(parsing: preview)) { error in
                logger.warning("\(error)")
            }
        } catch {
            throw Failure(error)
        }
    }

    /// The video source at the start of a call; nil: no video.
    func videoSource() throws -> VideoSource? {
        guard var source = try SourceName.videoSource(video, format: try format()) else { return nil }
        source.orientation = videoOrientation
        return source
    }

    /// The audio source at the start of a call; nil: no audio.
    func audioSource() throws -> AudioSource? {
        guard var source = try SourceName.audioSource(audio ?? (isFile ? video : "tone")) else { return nil }
        source.processing = audioProcessing
        return source
    }

    /// Whether the video is a file, whose audio is sent by default.
    private var isFile: Bool { video.hasPrefix("file:") }

    /// Whether a stand-in may be sent for a source with this fault.
    ///
    /// A file may have no audio if `--audio` does not ask for it.
    func allowsStandIn(_ fault: CaptureFault) -> Bool {
        allowStandIn || audio == nil && isFile && fault.medium == .audio && fault.cause == .silent
    }

    /// The size and rate of the video.
    func format() throws -> VideoFormat {
        guard let format = VideoSizeArgument.format(videoSize) else {
            throw Failure(.usage, VideoSizeArgument.advice(videoSize))
        }
        return format
    }
}
