internal import Synchronization

/// Where the media of a peer goes: to the application, a window, a speaker and recordings.
///
/// Outputs live longer than a peer connection. A call that needs another connection gives it the same outputs: windows stay, streams of frames
/// continue, and so does the recording. The connection whose ``PeerConnection/setReceiving(_:)`` was opened last feeds them, and reports
/// their failures.
public final class MediaOutputs: Sendable {
    /// How long ``close()`` waits for files and devices.
    private static let closing = Duration.seconds(5)

    private struct Track: Sendable {
        let outlet: Outlet
        /// A window or a speaker; nil when the media is discarded.
        var sink: SinkPipeline?
    }

    private struct State {
        /// Those that a connection or the application has used.
        var tracks: [TrackID: Track] = [:]
        var isClosed = false
    }
    private let state = Mutex(State())
    private let sinks: [MediaKind: SinkBlueprint]
    private let zero = RecordingZero()
    /// When video and audio are shown and played.
    let playout = Playout()
    private let report: FailureReport
    private let announcements: [MediaKind: AnnouncementWatch]
    /// The recording of received media.
    let received: Recorder?
    /// The recording of sent media.
    let sent: Recorder?
    /// Tap the played audio; nil when no audio is played here.
    let probes: EchoProbes?

    /// Outputs for the application: no recording, no window and no speaker.
    public init() {
        (sinks, report, received, sent, probes) = ([:], FailureReport(), nil, nil, nil)
        announcements = Self.announcements(playout)
    }

    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a recording of an unknown format.
    init(_ configuration: OutputConfiguration, catalog: PipelineCatalog) throws(MediaError) {
        let (report, zero, playout) = (FailureReport(), zero, playout)
        func recorder(_ path: String) throws(MediaError) -> Recorder {
            try Recorder(
                path: path, maximumFiles: configuration.maximumRecordingFiles, zero: zero, catalog: catalog
            ) { report.note(.recordingFailed($0)) }
        }
        let path = configuration.recordingPath
        received = if let path { try recorder(path) } else { nil }
        sent =
            if let path, configuration.recordsSent {
                try recorder(OutputConfiguration.pathOfSent(beside: path))
            } else { nil }
        let blueprints = [
            SinkBlueprint(configuration.videoSink, catalog), SinkBlueprint(configuration.audioSink, catalog),
        ]
        let shown = blueprints.filter { !$0.isDiscard }
        let isHeard = shown.contains { $0.kind == .audio }
        let probes = isHeard && GStreamerLibrary.hasElement("webrtcechoprobe") ? try EchoProbes() : nil
        sinks = Dictionary(uniqueKeysWithValues: shown.map { ($0.kind, $0) })
        (self.probes, self.report) = (probes, report)
        announcements = Self.announcements(playout)
    }

    private static func announcements(_ playout: Playout) -> [MediaKind: AnnouncementWatch] {
        Dictionary(uniqueKeysWithValues: MediaKind.allCases.map { ($0, AnnouncementWatch($0, playout: playout)) })
    }

    // MARK: For the application

    /// The peer's video frames as they are shown: none before ``PeerConnection/setReceiving(_:)``, and none while that is closed.
    ///
    /// Each frame is copied once, on the streaming thread, into its own array. It is converted if `format` is not the decoded format (I420).
    /// At most `buffering` frames wait; then the oldest are dropped and counted. May be called at any time, any number of times.
    /// `number` is that of one of several videos (``TrackID/number``).
    public func frames(
        _ format: PixelFormat = .i420, ofVideo number: Int = 1, buffering: Int = 3
    ) -> FrameStream<VideoFrame> {
        outlet(.video(number)).frames(format, buffering: buffering)
    }

    /// The peer's audio as it is played: none before ``PeerConnection/setReceiving(_:)``, and none while that is closed.
    ///
    /// Each element holds the audio of one packet, 20 ms by default; at most `buffering` elements wait.
    public func samples(buffering: Int = 50) -> FrameStream<AudioSamples> {
        outlet(.audio).samples(buffering: buffering)
    }

    /// The peer's frame that was shown last, as an image file; `number` is that of one of several videos.
    ///
    /// - Throws: ``MediaError/noFrame`` before the first is shown and after ``close()``; ``MediaError/pluginMissing(element:)`` and
    ///   ``MediaError/snapshotFailed(text:)``.
    public func snapshot(_ format: ImageFormat, ofVideo number: Int = 1) async throws(MediaError) -> [UInt8] {
        guard let latest = outlet(.video(number)).latest else { throw .noFrame }
        return try await BlockingQueue(label: "snapshot").encode(latest, as: format)
    }

    /// Tells what the peer announced to send of one kind, such as that it is muted; ``SendMode/live`` at first.
    ///
    /// What arrives against it is counted (``broken(_:)``), on all connections that have these outputs. The application's signaling and the media take
    /// different paths: so what arrives within 1 s, two round trips and the playout delay after this call does not count, nor what arrived within
    /// that time before `announced`. Both ends may also have agreed that nothing is sent for a while, as in a call on hold: ``SendMode/closed``.
    /// - Parameters:
    ///   - mode: what the peer sends from now on.
    ///   - kind: audio or video.
    ///   - announced: when the peer said so, which may be before this end learned it: what arrived since then breaks no earlier announcement.
    public func expect(
        _ mode: SendMode, of kind: MediaKind, announcedAt announced: ContinuousClock.Instant = .now
    ) { announcements[kind]?.expect(mode, announcedAt: announced) }

    /// What arrived of one kind that is not as the peer had announced.
    public func broken(_ kind: MediaKind) -> BrokenAnnouncements {
        announcements[kind]?.broken ?? BrokenAnnouncements()
    }

    /// Ends the streams, closes windows and devices, and completes the files; idempotent.
    ///
    /// - Returns: False when a file or a device did not end within 5 s and was abandoned.
    @discardableResult
    public func close() async -> Bool { await close(within: Self.closing) }

    // MARK: For connections

    private func output(_ id: TrackID) -> Track {
        state.withLock { state in
            if let track = state.tracks[id] { return track }
            var track = Track(outlet: Outlet(id.kind))
            if state.isClosed {
                track.outlet.end()
                return track
            }
            // A device takes one video.
            if let blueprint = sinks[id.kind], id.number == 1 || blueprint.isShareable {
                track.sink = SinkPipeline(
                    id, blueprint, outlet: track.outlet, playout: playout, probes: id.kind == .audio ? probes : nil
                ) { [report] in report.note(.sinkFailed(id, $0)) }
            }
            state.tracks[id] = track
            return track
        }
    }

    /// What passes on the media of one track.
    func outlet(_ track: TrackID) -> Outlet { output(track).outlet }

    /// What compares the media of one kind with what the peer announced.
    func announcement(_ kind: MediaKind) -> AnnouncementWatch? { announcements[kind] }

    /// Opens the window or the speaker of one track.
    func openSink(_ track: TrackID) {
        guard let sink = sink(track) else { return }
        Task { await sink.open() }
    }

    /// The window or the speaker of one track; nil when its media is discarded.
    func sink(_ track: TrackID) -> SinkPipeline? { output(track).sink }

    /// A connection will feed the outputs, and gets their failures unless another one feeds them now.
    func join(_ connection: AnyObject, _ report: @escaping @Sendable (PeerConnectionEvent.Kind) -> Void) async {
        self.report.join(ObjectIdentifier(connection), report)
        for recorder in [received, sent] { await recorder?.start() }
    }

    /// A connection feeds the outputs from now on with the media of these tracks, and gets their failures.
    func begin(
        _ connection: AnyObject, with tracks: some Collection<TrackID>,
        _ report: @escaping @Sendable (PeerConnectionEvent.Kind) -> Void
    ) {
        self.report.begin(ObjectIdentifier(connection), report)
        zero.begin()
        // Before the negotiation no track is known.
        guard !tracks.isEmpty else { return }
        // Otherwise the window would keep the last frame of the connection before.
        for (id, track) in state.withLock({ $0.tracks }) where !tracks.contains(id) {
            track.outlet.clear()
            if let sink = track.sink { Task { await sink.stop() } }
        }
    }

    /// A connection has ended, and gets no failures any more.
    func leave(_ connection: AnyObject) { report.leave(ObjectIdentifier(connection)) }

    func close(within limit: Duration) async -> Bool {
        let tracks = state.withLock { state in
            state.isClosed = true
            return state.tracks.values
        }
        for track in tracks { track.outlet.end() }
        return await withTaskGroup(of: Bool.self) { group in
            for recorder in [received, sent].compactMap(\.self) {
                group.addTask { await Deadline.isMet(limit / 2) { await recorder.finish(within: limit / 6) } }
            }
            for sink in tracks.compactMap(\.sink) {
                group.addTask { await Deadline.isMet(limit / 2) { await sink.close() } }
            }
            return await group.reduce(true) { $0 && $1 }
        }
    }
}

/// Reports failures of outputs to the connection that feeds them: the one that began last and has not left.
private final class FailureReport: Sendable {
    typealias Report = @Sendable (PeerConnectionEvent.Kind) -> Void

    private let reports = Mutex<[(connection: ObjectIdentifier, report: Report)]>([])

    func join(_ connection: ObjectIdentifier, _ next: @escaping Report) {
        reports.withLock { $0.insert((connection, next), at: 0) }
    }

    func begin(_ connection: ObjectIdentifier, _ next: @escaping Report) {
        reports.withLock { reports in
            reports.removeAll { $0.connection == connection }
            reports.append((connection, next))
        }
    }

    func leave(_ connection: ObjectIdentifier) { reports.withLock { $0.removeAll { $0.connection == connection } } }

    func note(_ failure: PeerConnectionEvent.Kind) { reports.withLock { $0.last?.report }?(failure) }
}
