internal import CallAgent
internal import MediaEngine

extension MediaConfiguration {
    /// The media that the options ask for, with every check that is possible before a call.
    ///
    /// Nil: no sources, or no sinks.
    init(
        _ source: SourceOptions?, _ sink: SinkOptions?, _ codecs: CodecOptions, _ ice: IceOptions, engine: Engine,
        signalingHost: String
    ) async throws {
        do {
            self.init(video: nil, audio: nil)
            // Calls may have more.
            receivedVideos = 1
            // Reports, expectations and statistics use all measurements.
            measurements = Set(MediaMeasurement.allCases)
            try await source?.apply(to: &self, engine: engine)
            try await codecs.apply(to: &self, engine: engine)
            try await sink?.apply(to: &self, engine: engine)
            try ice.apply(to: &self, signalingHost: signalingHost)
        } catch let error as MediaError {
            throw Failure(error)
        }
    }

    /// Leaves out what is for calls only: media servers and rooms have one video, and no messages.
    mutating func keepOneVideo() {
        (additionalVideos, receivedVideos, allowsDataChannels) = ([], 1, false)
    }

    /// Marks what is generated: the other end can say what is missing, and how old it is.
    mutating func mark() {
        if video?.name == "test" { video?.name = "clock" }
        for index in additionalVideos.indices where additionalVideos[index].name == "test" {
            additionalVideos[index].name = "clock"
        }
        if audio?.name == "tone", let hertz = audio?.toneHz, AudioSource.clockPitches.contains(hertz) {
            audio?.name = "clock"
        }
    }

    /// Makes calls that only receive.
    mutating func receiveOnly() {
        direction = .recvonly
        // Without a source a call has no medium of its kind. They are not opened, since nothing is sent.
        (video, audio) = (.test(), .silence)
        capturePolicy = .perCall
    }
}
