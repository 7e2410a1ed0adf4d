/// What is captured, for the application: before, during and after calls.
extension CaptureSource {
    /// The pictures as they are captured, before any call mutes them; the device is open while they are read.
    ///
    /// See ``PeerConnection/pictures(_:buffering:)`` for what they are.
    /// - Throws: ``MediaError`` when the device cannot be opened, ``MediaError/noPicture`` for sound.
    public func pictures(
        _ format: PixelFormat = .i420, buffering: Int = 3
    ) async throws(MediaError) -> FrameStream<VideoFrame> {
        guard kind == .video else { throw .noPicture }
        let monitor = try CaptureMonitor(self)
        let frames = monitor.outlet.pictures(format, buffering: buffering) { Task { await monitor.stop() } }
        try await monitor.start()
        return frames
    }

    /// The sound as it is captured, before any call mutes it; the device is open while it is read.
    ///
    /// See ``PeerConnection/samples(buffering:)`` for what it is.
    /// - Throws: ``MediaError`` when the device cannot be opened.
    public func samples(buffering: Int = 50) async throws(MediaError) -> FrameStream<AudioSamples> {
        let monitor = try CaptureMonitor(self)
        let samples = monitor.outlet.samples(buffering: buffering) { Task { await monitor.stop() } }
        try await monitor.start()
        return samples
    }

    /// The picture that was captured last, as an image file.
    ///
    /// - Throws: ``MediaError/noPicture`` while the device is not open or has given none.
    public func snapshot(_ format: ImageFormat) async throws(MediaError) -> [UInt8] {
        guard kind == .video, let latest = await latestPicture else { throw .noPicture }
        return try await BlockingQueue(label: "snapshot").encode(latest, as: format)
    }
}
