public import Logging

/// The media engine: loads GStreamer and makes captures and peer connections; one per process is enough.
public final class Engine: Sendable {
    /// The pipeline descriptions in use.
    public let catalog: PipelineCatalog
    let logger: Logger
    private let captureTiming: CaptureTiming
    let captures = CaptureRegistry()
    private let warmUp: Task<MediaError?, Never>

    /// Loads GStreamer and starts a warm-up in the background.
    ///
    /// The first use of plugins, of DTLS and of the codec libraries costs 0.4-1 s; a throw-away call on 127.0.0.1 pays this once per process.
    /// ``warmedUp()`` waits until it has ended. Call `exit` only after that, or use `_exit`: the destructors that `exit` runs abort the process while
    /// a plugin is loading.
    ///
    /// `gstreamerLog` sets what GStreamer logs, in the syntax of its environment variable `GST_DEBUG` (`*:INFO`, `webrtcbin:5,nice:5`). The lines go
    /// to `logger`, subject to its level, with GStreamer's category and object as metadata; GStreamer itself then prints nothing. This applies to the
    /// whole process, and the last engine that sets it wins. The log runs on GStreamer's own threads, so a log handler that blocks delays media. Nil,
    /// the default, leaves GStreamer's log alone and costs nothing.
    /// - Throws: ``MediaError/libraryUnusable(text:)``, or ``MediaError/invalidPipelineDescription(name:line:text:)`` for a file in
    ///   `pipelineFolder`.
    public static func start(
        pipelineFolder: String? = nil, gstreamerLog: String? = nil, logger: Logger = Logger(label: "media")
    ) async throws(MediaError) -> Engine {
        try await start(
            pipelineFolder: pipelineFolder, gstreamerLog: gstreamerLog, captureTiming: CaptureTiming(), logger: logger)
    }

    static func start(
        pipelineFolder: String?, gstreamerLog: String? = nil, captureTiming: CaptureTiming, logger: Logger
    ) async throws(MediaError) -> Engine {
        let catalog = try PipelineCatalog(folder: pipelineFolder)
        try GStreamerLibrary.initialize()
        if let gstreamerLog { GStreamerLog.hand(to: logger, gstreamerLog) }
        return Engine(catalog: catalog, captureTiming: captureTiming, logger: logger)
    }

    private init(catalog: PipelineCatalog, captureTiming: CaptureTiming, logger: Logger) {
        self.catalog = catalog
        self.captureTiming = captureTiming
        self.logger = logger
        warmUp = Task { await WarmUp.shared.run(catalog: catalog, logger: logger) }
    }

    /// Bounds the memory of this process by limiting how many arenas glibc's malloc keeps; call it before anything else.
    ///
    /// A call has some thirty threads. By default each gets an arena, and memory that calls have freed piles up in them: some 300 kB per call,
    /// against none with two arenas. The limit applies to the whole process, so the application decides.
    public static func limitMallocArenas(to count: Int = 2) { GStreamerLibrary.limitMallocArenas(to: count) }

    /// Ends GStreamer in this process, for tools that look for leaks at exit.
    ///
    /// Close every peer connection and release every capture first. Do not use anything of this engine or another one afterwards. This engine's
    /// warm-up ends first, since GStreamer would wait for its pipelines for ever.
    public func shutDown() async {
        _ = await warmUp.value
        GStreamerLibrary.deinitialize()
    }

    /// Waits until the warm-up has ended, so that the first call is as fast as any other.
    ///
    /// - Returns: The error of the throw-away call; nil when it succeeded, which proves that this machine can make calls.
    @discardableResult
    public func warmedUp() async -> MediaError? { await warmUp.value }

    /// GStreamer's version, such as `1.22.0`.
    public static var gstreamerVersion: String { GStreamerLibrary.version.description }

    /// The version of libnice's GStreamer plugin, or `missing`.
    public static var libniceVersion: String {
        guard (try? GStreamerLibrary.initialize()) != nil else { return "missing" }
        return GStreamerLibrary.pluginVersion(ofElement: "nicesrc") ?? "missing"
    }

    /// The elements that the engine itself makes, in addition to those of the pipeline descriptions.
    public static let requiredElements = [
        "webrtcbin", "nicesrc", "nicesink", "dtlssrtpdec", "dtlssrtpenc", "srtpdec", "srtpenc", "rtpbin", "proxysrc",
        "proxysink", "tee", "queue", "videoflip",
    ]

    /// Whether an element is installed.
    public func hasElement(_ name: String) -> Bool { GStreamerLibrary.hasElement(name) }

    /// Builds the source once, with its choices, without opening its device.
    ///
    /// - Throws: ``MediaError`` that names what is unknown, misspelt or missing.
    public func check(_ source: VideoSource) async throws(MediaError) {
        try SourceBlueprint(source: .video(source), catalog: catalog).check()
    }

    /// Builds the source once, with its choices, without opening its device.
    ///
    /// - Throws: ``MediaError`` that names what is unknown, misspelt or missing.
    public func check(_ source: AudioSource) async throws(MediaError) {
        try SourceBlueprint(source: .audio(source), catalog: catalog).check()
    }

    /// Builds the sink once, with its choices, without opening its device.
    ///
    /// - Throws: ``MediaError`` that names what is unknown, misspelt or missing.
    public func check(_ sink: VideoSink) async throws(MediaError) { try SinkBlueprint(sink, catalog).check() }

    /// Builds the sink once, with its choices, without opening its device.
    ///
    /// - Throws: ``MediaError`` that names what is unknown, misspelt or missing.
    public func check(_ sink: AudioSink) async throws(MediaError) { try SinkBlueprint(sink, catalog).check() }

    /// Shows a capture to its user, before, during or between calls, until ``CapturePreview/stop()``.
    ///
    /// The preview shows the frames as calls send them, but before mute, and shares the device with the calls. `onFailure` runs once when the sink
    /// fails.
    /// - Throws: ``MediaError`` when the device cannot be opened, ``MediaError/noFrame`` for audio.
    public func preview(
        _ source: CaptureSource, on sink: VideoSink = .window,
        onFailure: @escaping @Sendable (MediaError) -> Void = { _ in }
    ) async throws(MediaError) -> CapturePreview {
        guard source.kind == .video else { throw .noFrame }
        return try await CapturePreview(of: source, on: SinkBlueprint(sink, catalog), report: onFailure)
    }

    /// Builds the encoder and the decoder of a codec once.
    ///
    /// - Throws: ``MediaError`` that names what is missing.
    public func check(_ codec: Codec) async throws(MediaError) {
        for role in [PipelineDescription.Role.encoder, .decoder] {
            _ = try catalog.description(of: codec, role: role).instantiate()
        }
    }

    /// Builds the encoder of this name once.
    ///
    /// - Throws: ``MediaError`` that names what is unknown or missing.
    public func check(encoder name: String) throws(MediaError) {
        try catalog.description(name, role: .encoder).check()
    }

    /// The capture of `source`, shared by all callers that ask for the same source.
    ///
    /// - Throws: ``MediaError/unknownPipelineDescription(name:known:)``. The device itself is opened later.
    public func capture(_ source: VideoSource) throws(MediaError) -> CaptureSource { try capture(.video(source)) }

    /// The capture of `source`, shared by all callers that ask for the same source.
    ///
    /// - Throws: ``MediaError/unknownPipelineDescription(name:known:)``. The device itself is opened later.
    public func capture(_ source: AudioSource) throws(MediaError) -> CaptureSource { try capture(.audio(source)) }

    /// The capture of `source`, shared by all callers that ask for the same source.
    ///
    /// - Throws: ``MediaError/unknownPipelineDescription(name:known:)``. The device itself is opened later.
    public func capture(_ source: MediaSource) throws(MediaError) -> CaptureSource {
        try captures.capture(
            SourceBlueprint(source: source.unprocessed, catalog: catalog), timing: captureTiming, logger: logger)
    }

    /// Makes outputs for one connection after the other; the caller closes them (``MediaOutputs/close()``) after the last connection.
    ///
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a recording of an unknown format.
    public func makeOutputs(_ configuration: OutputConfiguration) throws(MediaError) -> MediaOutputs {
        try MediaOutputs(configuration, catalog: catalog)
    }

    /// Makes a peer connection that has not negotiated yet; it costs nothing before that.
    ///
    /// Without `outputs` the connection has its own, which end with it: they provide frames, samples and snapshots.
    public func makePeerConnection(
        _ configuration: PeerConnectionConfiguration, outputs: MediaOutputs? = nil
    ) -> PeerConnection {
        PeerConnection(configuration, outputs: outputs, catalog: catalog, logger: logger)
    }
}
