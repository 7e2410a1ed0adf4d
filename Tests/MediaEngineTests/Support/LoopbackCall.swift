@testable import MediaEngine

/// Two peer connections of this process that exchange offer, answer and trickled candidates by function calls.
struct LoopbackCall {
    /// The options of a call.
    struct Options: Sendable {
        var kinds: Set<MediaKind> = [.audio, .video]
        var audioCodecs: [Codec] = [.opus]
        var videoCodecs: [Codec] = [.vp8]
        var callerVideo = VideoSource.test(.ball, format: VideoFormat(width: 320, height: 180))
        var calleeVideo = VideoSource.test(.ball, format: VideoFormat(width: 320, height: 180))
        var callerAudio = AudioSource.tone(hertz: 440)
        var calleeAudio = AudioSource.tone(hertz: 660)
        var tuning = TransportTuning.loopback
        /// Changes a description on its way to the other end.
        var rewrite: @Sendable (SessionDescription) -> SessionDescription = { $0 }
        /// Changes a candidate on its way; nil drops it.
        var rewriteCandidate: @Sendable (IceCandidate) -> IceCandidate? = { $0 }
        /// Changes the callee's candidates instead of `rewriteCandidate`.
        var rewriteCalleeCandidate: (@Sendable (IceCandidate) -> IceCandidate?)?
        /// Further configuration of both ends.
        var configure: @Sendable (inout PeerConnectionConfiguration) -> Void = { _ in }
        /// Further configuration of the callee.
        var configureCallee: @Sendable (inout PeerConnectionConfiguration) -> Void = { _ in }
        var opensSendGates = true
        /// An end without sources only receives.
        var callerHasSources = true
        var calleeHasSources = true
        /// The measurements that the tests wait for.
        var measurements = Set(MediaMeasurement.allCases)
        var callerOutputs = OutputConfiguration()
        var calleeOutputs = OutputConfiguration()
        /// The outputs of an earlier call, which the callee continues instead of `calleeOutputs`.
        var continuedOutputs: MediaOutputs?
        /// Nil: the engine that the tests share.
        var engine: Engine?
    }

    let caller: CallEnd
    let callee: CallEnd
    private let options: Options

    init(_ options: Options = Options()) async throws {
        self.options = options
        let engine = if let engine = options.engine { engine } else { try await TestEngine.shared() }
        caller = try Self.end(
            "caller", options, engine, options.callerHasSources, options.callerVideo, options.callerAudio,
            options.callerOutputs)
        callee = try Self.end(
            "callee", options, engine, options.calleeHasSources, options.calleeVideo, options.calleeAudio,
            options.calleeOutputs)
    }

    private static func end(
        _ label: String, _ options: Options, _ engine: Engine, _ hasSources: Bool, _ video: VideoSource,
        _ audio: AudioSource, _ outputs: OutputConfiguration
    ) throws -> CallEnd {
        var tracks: [TrackID: TrackConfiguration] = [:]
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
        configuration.measurements = options.measurements
        options.configure(&configuration)
        if label == "callee" { options.configureCallee(&configuration) }
        let continued = label == "callee" ? options.continuedOutputs : nil
        let outputs = if let continued { continued } else { try engine.makeOutputs(outputs) }
        return CallEnd(peer: engine.makePeerConnection(configuration, outputs: outputs))
    }

    enum Side { case caller, callee }

    /// The capture that feeds this end; calls with the same source share it.
    func capture(_ side: Side, _ kind: MediaKind) async throws -> CaptureSource {
        let engine = if let engine = options.engine { engine } else { try await TestEngine.shared() }
        return switch kind {
        case .audio: try engine.capture(side == .caller ? options.callerAudio : options.calleeAudio)
        case .video: try engine.capture(side == .caller ? options.callerVideo : options.calleeVideo)
        }
    }

    var ends: [CallEnd] { [caller, callee] }

    /// Negotiates; after that the transport connects by itself.
    func negotiate() async throws {
        let rewriteCallee = options.rewriteCalleeCandidate ?? options.rewriteCandidate
        for (from, to, rewriteCandidate) in [
            (caller, callee, options.rewriteCandidate), (callee, caller, rewriteCallee),
        ] {
            from.follow { candidate in
                guard let candidate = rewriteCandidate(candidate) else { return }
                // This fails after a close or if a test rewrites the candidate. The result shows at the ends.
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
        for end in ends {
            await end.peer.close()
            // Those of an earlier call end with it.
            if end.peer.outputs !== options.continuedOutputs { await end.peer.outputs.close() }
        }
    }
}

/// Makes a call, runs `body` with it, and always closes it.
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
