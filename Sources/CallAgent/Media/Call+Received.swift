public import MediaEngine

/// The peer's media, for the application.
extension Call {
    /// The engine's connection of this call.
    ///
    /// It changes with a change of media. It is nil before there is one, and when the media is not the engine's.
    public var peerConnection: PeerConnection? {
        get async { await generations.reported?.peerConnection }
    }

    /// The peer's video, from the first frame that may be shown until the end of the call, across changes of its media.
    ///
    /// Each frame is copied once into its own array, in the requested pixel format. At most `buffering` frames wait for a slow
    /// reader; beyond that, the oldest are dropped. Allowed in every state; empty after the end. Every call of this method returns
    /// a new stream. `number` is that of one of several videos, from 1 on (`TrackID`).
    public nonisolated func frames(
        _ format: PixelFormat = .i420, ofVideo number: Int = 1, buffering: Int = 3
    ) -> FrameStream<VideoFrame> {
        outputs.frames(format, ofVideo: number, buffering: buffering)
    }

    /// The peer's audio, from the first samples that may be heard until the end of the call, across changes of its media.
    ///
    /// An element holds the samples of one packet, 20 ms by default. The rest is as for ``frames(_:ofVideo:buffering:)``.
    public nonisolated func samples(buffering: Int = 50) -> FrameStream<AudioSamples> {
        outputs.samples(buffering: buffering)
    }

    /// The peer's latest frame as an image file; waits up to `limit` for the first one.
    ///
    /// `number` is that of one of several videos.
    ///
    /// - Throws: ``CallError/media(_:)`` when no frame arrived; at once for a call without video and after the end.
    public func snapshot(
        _ format: ImageFormat, ofVideo number: Int = 1, within limit: Duration = .seconds(2)
    ) async throws(CallError) -> [UInt8] {
        do throws(MediaError) {
            guard machine.state != .ended, media.video else { throw .noFrame }
            do throws(MediaError) {
                return try await outputs.snapshot(format, ofVideo: number)
            } catch .noFrame {
                guard await hasFrame(ofVideo: number, within: limit) else { throw .noFrame }
                return try await outputs.snapshot(format, ofVideo: number)
            }
        } catch {
            throw .media(MediaSessionError(error))
        }
    }

    /// Waits for a frame.
    private func hasFrame(ofVideo number: Int, within limit: Duration) async -> Bool {
        let frames = frames(ofVideo: number, buffering: 1)
        let waiting = Task {
            for await _ in frames { return true }
            return false
        }
        let deadline = Task { [sleep = surroundings.sleep] in
            if (try? await sleep(limit)) != nil { waiting.cancel() }
        }
        defer { deadline.cancel() }
        return await waiting.value
    }
}
