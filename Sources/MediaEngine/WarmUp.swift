internal import Logging

/// The throw-away call that pays the costs of a process's first call.
///
/// What it warms (loaded plugins, the DTLS library's key, codec libraries) belongs to the process, so there is one instance.
actor WarmUp {
    static let shared = WarmUp()
    private var done: Task<MediaError?, Never>?

    /// Runs once per process; later callers wait for the same run.
    func run(catalog: PipelineCatalog, logger: Logger) async -> MediaError? {
        let task = done ?? Task { await Self.call(catalog, logger) }
        done = task
        let error = await task.value
        // The cause may have been fixed by then, so the next caller tries again.
        if error != nil { done = nil }
        return error
    }

    /// How long it may take; the first call warms the rest.
    private static let limit: Duration = .seconds(10)

    private static func call(_ catalog: PipelineCatalog, _ logger: Logger) async -> MediaError? {
        do throws(MediaError) {
            // H264 and VP8 have different decoder libraries, so both are loaded.
            for codec in [Codec.vp8, .h264] { try await call(catalog, logger, codec) }
            return nil
        } catch {
            // If a plugin is missing, the call that needs it reports the error.
            logger.debug("the warm-up ended early: \(error)")
            return error
        }
    }

    private static func call(_ catalog: PipelineCatalog, _ logger: Logger, _ codec: Codec) async throws(MediaError) {
        let format = VideoFormat(width: 320, height: 180, framesPerSecond: 30)
        let video = VideoSource.test(format: format)
        let audio = AudioSource.tone()
        var tracks: [TrackID: TrackConfiguration] = [:]
        for source in [MediaSource.video(video), .audio(audio)] {
            let blueprint = SourceBlueprint(source: source, catalog: catalog)
            let device = CaptureDevice(blueprint, timing: CaptureTiming(), logger: logger)
            tracks[TrackID(source.kind)] = TrackConfiguration(source: CaptureSource(source) { device })
        }
        tracks[.video]?.codecs = [codec]
        var configuration = PeerConnectionConfiguration(label: "warm-up", tracks: tracks)
        configuration.tuning = .loopback
        let caller = PeerConnection(configuration, catalog: catalog, logger: logger)
        let callee = PeerConnection(configuration, catalog: catalog, logger: logger)
        let result: Result<Void, MediaError>
        do throws(MediaError) {
            try await connect(caller, callee)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await caller.close()
        await callee.close()
        try result.get()
    }

    private static func connect(_ caller: PeerConnection, _ callee: PeerConnection) async throws(MediaError) {
        let answer = try await callee.createAnswer(to: caller.createOffer())
        try await caller.setAnswer(answer)
        for peer in [caller, callee] {
            for track in [TrackID.audio, .video] { await peer.setSending(.live, of: track) }
        }
        let failure = await withTaskGroup(of: MediaError?.self) { group -> MediaError? in
            group.addTask { await followUntilFrame(caller, to: callee) }
            group.addTask { await followUntilFrame(callee, to: caller) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return Task.isCancelled ? nil : .timedOut(operation: "the warm-up call", seconds: 10)
            }
            defer { group.cancelAll() }
            // Both ends succeed, or the first failure ends the wait.
            for _ in 0..<2 { if let failure = await group.next() ?? nil { return failure } }
            return nil
        }
        if let failure { throw failure }
    }

    private static func followUntilFrame(_ peer: PeerConnection, to other: PeerConnection) async -> MediaError? {
        for await event in peer.events {
            switch event.kind {
            case .localCandidate(let candidate): try? await other.addCandidate(candidate)
            case .firstFrame(.video): return nil
            case .failed(let error): return error
            case .trackFailed(let failure):
                return .elementFailed(element: failure.element, message: failure.text, debug: "")
            default: break
            }
        }
        return .closed
    }
}
