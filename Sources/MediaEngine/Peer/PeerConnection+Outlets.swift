/// Received media for the application.
extension PeerConnection {
    /// The peer's video frames as they are shown: none before ``setReceiving(_:)``, and none while that is closed.
    ///
    /// Each frame is copied once, on the streaming thread, into its own array. It is converted if `format` is not the decoded format (I420).
    /// At most `buffering` frames wait; then the oldest are dropped and counted. May be called at any time, any number of times.
    public nonisolated func frames(
        _ format: PixelFormat = .i420, buffering: Int = 3
    ) -> FrameStream<VideoFrame> { outlets.video.frames(format, buffering: buffering) }

    /// The peer's audio as it is played: none before ``setReceiving(_:)``, and none while that is closed.
    ///
    /// Each element holds the audio of one packet, 20 ms by default; at most `buffering` elements wait.
    public nonisolated func samples(buffering: Int = 50) -> FrameStream<AudioSamples> {
        outlets.audio.samples(buffering: buffering)
    }

    /// The peer's frame that was shown last, as an image file.
    ///
    /// - Throws: ``MediaError/noFrame`` before the first is shown and after ``close()``; ``MediaError/pluginMissing(element:)`` and
    ///   ``MediaError/snapshotFailed(text:)``.
    public nonisolated func snapshot(_ format: ImageFormat) async throws(MediaError) -> [UInt8] {
        guard let latest = outlets.video.latest else { throw .noFrame }
        return try await BlockingQueue(label: "snapshot").encode(latest, as: format)
    }
}
