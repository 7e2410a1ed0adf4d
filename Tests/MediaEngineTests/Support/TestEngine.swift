@testable import MediaEngine

/// The shared engine of the tests, which is warmed up before use.
enum TestEngine {
    private static let started = Task { () async throws -> Engine in
        let engine = try await Engine.start()
        await engine.warmedUp()
        return engine
    }

    static func shared() async throws -> Engine { try await started.value }

    /// A peer connection that is not part of a ``LoopbackCall``.
    static func peer(
        kinds: Set<MediaKind> = [.audio, .video], videoCodecs: [Codec] = [.vp8],
        configure: (inout PeerConnectionConfiguration) -> Void = { _ in }
    ) async throws -> PeerConnection {
        let engine = try await shared()
        var tracks: [TrackID: TrackConfiguration] = [:]
        if kinds.contains(.audio) {
            tracks[.audio] = TrackConfiguration(source: try engine.capture(AudioSource.tone()))
        }
        if kinds.contains(.video) {
            let source = VideoSource.test(format: VideoFormat(width: 160, height: 90))
            tracks[.video] = TrackConfiguration(source: try engine.capture(source), codecs: videoCodecs)
        }
        var configuration = PeerConnectionConfiguration(label: "test", tracks: tracks)
        configuration.tuning = .loopback
        configure(&configuration)
        return engine.makePeerConnection(configuration)
    }
}
