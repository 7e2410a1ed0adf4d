/// What is received, for the application.
extension PeerConnection {
    /// The peer's pictures, as they are shown: nothing before ``setReceiving(_:)``, and nothing while that is closed.
    ///
    /// Each picture is copied once, on the streaming thread, into an array of its own, and converted if it is wanted in another format than it was
    /// decoded to (I420). `buffering` is how many wait at most; of more, the oldest are dropped and counted. Legal at any time, and as often as wanted.
    public nonisolated func pictures(
        _ format: PixelFormat = .i420, buffering: Int = 3
    ) -> FrameStream<VideoFrame> { outlets.video.pictures(format, buffering: buffering) }

    /// The peer's sound, as it is played: nothing before ``setReceiving(_:)``, and nothing while that is closed.
    ///
    /// An element is what one packet held, 20 ms by default; `buffering` is how many wait at most.
    public nonisolated func samples(buffering: Int = 50) -> FrameStream<AudioSamples> {
        outlets.audio.samples(buffering: buffering)
    }

    /// The picture of the peer's that was shown last, as an image file.
    ///
    /// - Throws: ``MediaError/noPicture`` before the first is shown and after ``close()``; ``MediaError/pluginMissing(element:)`` and
    ///   ``MediaError/snapshotFailed(text:)``.
    public nonisolated func snapshot(_ format: ImageFormat) async throws(MediaError) -> [UInt8] {
        guard let latest = outlets.video.latest else { throw .noPicture }
        return try await BlockingQueue(label: "snapshot").encode(latest, as: format)
    }
}
