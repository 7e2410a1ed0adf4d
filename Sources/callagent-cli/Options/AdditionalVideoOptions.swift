internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// The videos of calls beyond the first one.
struct AdditionalVideoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Another video to send beside --video, such as a second camera or the screen; up to three times. Each is a video of its own for the peer.",
            valueName: "source"))
    var additionalVideo: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many videos the peer may send, 1 to 4. A caller asks for so many, by default for as many as it sends; a callee takes so many "
                + "at most, by default 4.", valueName: "N"))
    var receiveVideos: Int?

    func validate() throws {
        guard additionalVideo.count < TrackID.maximumVideos else {
            throw ValidationError("--additional-video can be given \(TrackID.maximumVideos - 1) times at most")
        }
        guard receiveVideos.map({ (1...TrackID.maximumVideos).contains($0) }) ?? true else {
            throw ValidationError("--receive-videos: write a number from 1 to \(TrackID.maximumVideos)")
        }
    }

    /// Adds the videos, with every check that is possible before a call; they have the size and rate of the first one.
    func apply(to configuration: inout MediaConfiguration, engine: Engine) async throws {
        configuration.receivedVideos = receiveVideos
        guard !additionalVideo.isEmpty else { return }
        guard let first = configuration.video else {
            throw Failure(.usage, "--additional-video: there is no first video; name it with --video")
        }
        for text in additionalVideo {
            guard let source = try SourceName.videoSource(text, format: first.format) else {
                throw Failure(.usage, "--additional-video: name a source instead of none")
            }
            try await SourceName.checked(text, "--additional-video", SourceName.video) {
                try await engine.check(source)
            }
            configuration.additionalVideos.append(source)
        }
    }
}
