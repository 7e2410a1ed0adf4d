/// The captured media, for the application: before, during and after calls.
extension CaptureSource {
    /// The frames as captured, before any call mutes them; the device is open while they are read.
    ///
    /// ``MediaOutputs/frames(_:ofVideo:buffering:)`` describes them.
    /// - Throws: ``MediaError`` when the device cannot be opened, ``MediaError/noFrame`` for audio.
    public func frames(
        _ format: PixelFormat = .i420, buffering: Int = 3
    ) async throws(MediaError) -> FrameStream<VideoFrame> {
        guard kind == .video else { throw .noFrame }
        let monitor = try CaptureMonitor(self)
        let frames = monitor.outlet.frames(format, buffering: buffering) { Task { await monitor.stop() } }
        try await monitor.start()
        return frames
    }

    /// The audio as captured, before any call mutes it; the device is open while it is read.
    ///
    /// ``MediaOutputs/samples(buffering:)`` describes it.
    /// - Throws: ``MediaError`` when the device cannot be opened.
    public func samples(buffering: Int = 50) async throws(MediaError) -> FrameStream<AudioSamples> {
        let monitor = try CaptureMonitor(self)
        let samples = monitor.outlet.samples(buffering: buffering) { Task { await monitor.stop() } }
        try await monitor.start()
        return samples
    }

    /// The last captured frame, as an image file.
    ///
    /// - Throws: ``MediaError/noFrame`` while the device is not open or has not delivered a frame.
    public func snapshot(_ format: ImageFormat) async throws(MediaError) -> [UInt8] {
        guard kind == .video, let latest = await latestFrame else { throw .noFrame }
        return try await BlockingQueue(label: "snapshot").encode(latest, as: format)
    }
}
