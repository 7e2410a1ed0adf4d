public import MediaEngine

/// The peer's media, for the application.
extension Call {
    /// The engine's connection of this call.
    ///
    /// It changes with a change of media. It is nil before there is one, and when the media is not the engine's.
    public var peerConnection: PeerConnection? {
        get async { await reported?.peerConnection }
    }

    /// The peer's video, from the first frame that may be shown until the end of the call, across changes of its media.
    ///
    /// Each frame is copied once into its own array, in the requested pixel format. At most `buffering` frames wait for a slow
    /// reader; beyond that, the oldest are dropped. Allowed in every state; empty after the end. Every call of this method returns
    /// a new stream.
    public nonisolated func frames(_ format: PixelFormat = .i420, buffering: Int = 3) -> AsyncStream<VideoFrame> {
        follow(buffering: buffering) { $0.frames(format, buffering: buffering) }
    }

    /// The peer's audio, from the first samples that may be heard until the end of the call, across changes of its media.
    ///
    /// An element holds the samples of one packet, 20 ms by default. The rest is as for ``frames(_:buffering:)``.
    public nonisolated func samples(buffering: Int = 50) -> AsyncStream<AudioSamples> {
        follow(buffering: buffering) { $0.samples(buffering: buffering) }
    }

    /// The peer's latest frame as an image file; waits up to `limit` for the first one.
    ///
    /// - Throws: ``CallError/media(_:)`` when no frame arrived; at once for a call without video and after the end.
    public func snapshot(
        _ format: ImageFormat, within limit: Duration = .seconds(2)
    ) async throws(CallError) -> [UInt8] {
        do throws(MediaError) {
            guard machine.state != .ended, media.video else { throw .noFrame }
            do throws(MediaError) {
                return try await latestFrame(format)
            } catch .noFrame {
                guard await hasFrame(within: limit) else { throw .noFrame }
                return try await latestFrame(format)
            }
        } catch {
            throw .media(MediaSessionError(error))
        }
    }

    private func latestFrame(_ format: ImageFormat) async throws(MediaError) -> [UInt8] {
        guard let outputs else { throw .noFrame }
        return try await outputs.snapshot(format)
    }

    /// Waits for a frame.
    private func hasFrame(within limit: Duration) async -> Bool {
        let frames = frames(buffering: 1)
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

    /// Reads from the call's outputs, once there are any.
    private nonisolated func follow<Element: Sendable>(
        buffering: Int, _ read: @escaping @Sendable (MediaOutputs) -> FrameStream<Element>
    ) -> AsyncStream<Element> {
        // Each connection causes events; their stream ends with the call.
        let events = events
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(max(1, buffering)))
        let following = Task {
            for await _ in events {
                guard let outputs = await outputs else { continue }
                for await element in read(outputs) { continuation.yield(element) }
                break
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in following.cancel() }
        return stream
    }
}
