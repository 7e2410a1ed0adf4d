internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// What a command's calls send and how.
struct MediaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The pictures to send: test, test:PATTERN, none, or the name of a pipeline description.",
            valueName: "source"))
    var video = "test"

    @Option(
        help: ArgumentHelp(
            "The sound to send: tone, tone:HERTZ, none, or the name of a pipeline description.", valueName: "source"))
    var audio = "tone"

    @Option(help: ArgumentHelp("The size of the pictures to send.", valueName: "WIDTHxHEIGHT"))
    var videoSize = "640x360"

    @Option(help: ArgumentHelp("The video codec to use.", valueName: "vp8|vp9|h264"))
    var codec: String?

    @Option(help: ArgumentHelp("Record what arrives once a call is connected, as Matroska.", valueName: "file"))
    var record: String?

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
            if video != "none" { configuration.video = try VideoSource(parsing: video, format: try format()) }
            if audio != "none" { configuration.audio = try AudioSource(parsing: audio) }
            if let source = configuration.video { try await engine.check(source) }
            if let source = configuration.audio { try await engine.check(source) }
            if let codec {
                guard let chosen = Codec(rawValue: codec.lowercased()), chosen.kind == .video else {
                    throw MediaError.unknownChoice(
                        kind: "video codec", value: codec, known: Codec.preferred(.video).map(\.rawValue))
                }
                configuration.videoCodecs = [chosen]
            }
            for codec in configuration.videoCodecs where configuration.video != nil { try await engine.check(codec) }
            if configuration.audio != nil { try await engine.check(.opus) }
            configuration.recordingPath = try RecordingPath.checked(record)
            try ice.apply(to: &configuration, signalingHost: signalingHost)
            return configuration
        } catch let error as MediaError {
            throw Failure(error)
        }
    }

    private func format() throws -> VideoFormat {
        let numbers = videoSize.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ (16...4_096).contains($0) && $0 % 2 == 0 }) else {
            throw Failure(
                .usage, "'\(videoSize)' is no size; use WIDTHxHEIGHT with even numbers from 16 to 4096, such as 640x360"
            )
        }
        return VideoFormat(width: numbers[0], height: numbers[1])
    }
}
