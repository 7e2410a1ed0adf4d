@testable import MediaEngine

/// Two peer connections of this process, wired by function calls: offer, answer, and candidates as they come.
struct LoopbackCall {
    /// What may differ from call to call.
    struct Options: Sendable {
        var kinds: Set<MediaKind> = [.audio, .video]
        var audioCodecs: [Codec] = [.opus]
        var videoCodecs: [Codec] = [.vp8]
        var callerVideo = VideoSource.test(.ball, format: VideoFormat(width: 320, height: 180))
        var calleeVideo = VideoSource.test(.ball, format: VideoFormat(width: 320, height: 180))
        var callerAudio = AudioSource.tone(hertz: 440)
        var calleeAudio = AudioSource.tone(hertz: 660)
        var tuning = TransportTuning.loopback
        /// What happens to a description on its way to the other end.
        var rewrite: @Sendable (SessionDescription) -> SessionDescription = { $0 }
        /// What happens to a candidate on its way; nil loses it.
        var rewriteCandidate: @Sendable (IceCandidate) -> IceCandidate? = { $0 }
        /// What of it differs for the callee's candidates.
        var rewriteCalleeCandidate: (@Sendable (IceCandidate) -> IceCandidate?)?
        /// What else is to be configured at both ends.
        var configure: @Sendable (inout PeerConnectionConfiguration) -> Void = { _ in }
        /// What of it differs at the callee.
        var configureCallee: @Sendable (inout PeerConnectionConfiguration) -> Void = { _ in }
        var opensSendGates = true
        /// An end without sources only receives.
        var callerHasSources = true
        var calleeHasSources = true
        /// What the figures that tests wait for are made of.
        var measurements = Set(MediaMeasurement.allCases)
        var callerRecording: String?
        var calleeRecording: String?
        /// Nil means the engine that the tests share.
        var engine: MediaEngine?
    }

    let caller: CallEnd
    let callee: CallEnd
    private let options: Options

    init(_ options: Options = Options()) async throws {
        self.options = options
        let engine = if let engine = options.engine { engine } else { try await TestEngine.shared() }
        caller = try Self.end(
            "caller", options, engine, options.callerHasSources, options.callerVideo, options.callerAudio,
            options.callerRecording)
        callee = try Self.end(
            "callee", options, engine, options.calleeHasSources, options.calleeVideo, options.calleeAudio,
            options.calleeRecording)
    }

    private static func end(
        _ label: String, _ options: Options, _ engine: MediaEngine, _ hasSources: Bool, _ video: VideoSource,
        _ audio: AudioSource, _ recording: String?
    ) throws -> CallEnd {
        var tracks: [MediaKind: TrackConfiguration] = [:]
        if options.kinds.contains(.audio) {
            tracks[.audio] = TrackConfiguration(source: try engine.capture(audio), codecs: options.audioCodecs)
        }
        if options.kinds.contains(.video) {
            tracks[.video] = TrackConfiguration(source: try engine.capture(video), codecs: options.videoCodecs)
        }
        if !hasSources {
            tracks = tracks.mapValues { TrackConfiguration(receiving: $0.codecs[0].kind, codecs: $0.codecs) }
        }
        var configuration = PeerConnectionConfiguration(label: label, tracks: tracks)
        configuration.tuning = options.tuning
        configuration.recordingPath = recording
        configuration.measurements = options.measurements
        options.configure(&configuration)
        if label == "callee" { options.configureCallee(&configuration) }
        return CallEnd(peer: engine.makePeerConnection(configuration))
    }

    enum Side { case caller, callee }

    /// What feeds this end, which calls with the same source share.
    func capture(_ side: Side, _ kind: MediaKind) async throws -> CaptureSource {
        let engine = if let engine = options.engine { engine } else { try await TestEngine.shared() }
        return switch kind {
        case .audio: try engine.capture(side == .caller ? options.callerAudio : options.calleeAudio)
        case .video: try engine.capture(side == .caller ? options.callerVideo : options.calleeVideo)
        }
    }

    var ends: [CallEnd] { [caller, callee] }

    /// Negotiates; the transport comes up by itself after it.
    func negotiate() async throws {
        let rewriteCallee = options.rewriteCalleeCandidate ?? options.rewriteCandidate
        for (from, to, rewriteCandidate) in [
            (caller, callee, options.rewriteCandidate), (callee, caller, rewriteCallee),
        ] {
            from.follow { candidate in
                guard let candidate = rewriteCandidate(candidate) else { return }
                // Closed in the meantime, or a test's own rewriting: what matters shows at the ends.
                try? await to.peer.addCandidate(candidate)
            }
        }
        let offer = try await caller.peer.createOffer()
        let answer = try await callee.peer.createAnswer(to: options.rewrite(offer))
        try await caller.peer.setAnswer(options.rewrite(answer))
        if options.opensSendGates { for end in ends { await end.send(.live) } }
    }

    /// Negotiates and waits until both ends have verified each other.
    func connect() async throws {
        try await negotiate()
        for end in ends { try await end.wait(for: .verified) }
    }

    func close() async {
        await caller.peer.close()
        await callee.peer.close()
    }
}

/// Makes a call, hands it to `body` and closes it whatever happens.
func withCall(
    _ options: LoopbackCall.Options = LoopbackCall.Options(), _ body: (LoopbackCall) async throws -> Void
) async throws {
    let call = try await LoopbackCall(options)
    do {
        try await body(call)
    } catch {
        await call.close()
        throw error
    }
    await call.close()
}
