internal import Logging
internal import Synchronization

/// One connection to one peer: a pipeline, its transport, and its tracks in both directions.
///
/// It negotiates once: one offer and one answer. What `webrtcbin` cannot renegotiate needs a new peer connection. All gates
/// start closed: the connection sends nothing before ``setSending(_:of:)`` and shows nothing before ``setReceiving(_:)``. It does
/// neither before it has verified the peer's certificate. It runs on its own executor, since calls into GStreamer block.
public actor PeerConnection {
    private let executor: QueueExecutor
    /// The serial queue of this connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The events of the connection, in order; for one consumer.
    ///
    /// Ends with ``close()``. A reader that falls too far behind loses some events: see ``maximumWaitingEvents``.
    public nonisolated let events: AsyncStream<PeerConnectionEvent>

    var configuration: PeerConnectionConfiguration
    let catalog: PipelineCatalog
    let logger: Logger
    /// Where the peer's media goes, and the recording of sent media.
    public nonisolated let outputs: MediaOutputs
    /// Whether the outputs end with this connection.
    private let ownsOutputs: Bool
    nonisolated let eventSink: BoundedStream<PeerConnectionEvent>
    private let reports: BoundedStream<PeerPipeline.Report>
    private(set) var media: PeerMedia?
    /// Whether ``media`` was built by ``prepareAnswer()``, before the offer arrived.
    var isPrepared = false
    var offered: (description: RemoteDescription, choices: [[PeerMedia.Choice]])?
    var dataChannels: [DataChannel] = []
    var remote: RemoteDescription?
    /// Whether both descriptions have data channels; nil before the negotiation.
    var hasData: Bool?
    /// The direction of each track, as seen from this end; empty before the negotiation.
    ///
    /// The peer may have declared that it only sends or only receives. A track that the peer does not receive is not sent and holds no
    /// device, regardless of ``setSending(_:of:)``. A track that the peer does not send causes no ``PeerConnectionEvent/Kind/firstFrame(_:)``.
    public internal(set) var directions: [TrackID: MediaDirection] = [:]
    var heldCandidates: [IceCandidate] = []
    private var earlyCertificate: String?
    private var isCertificateRight = false
    private var hasKeys = false
    var isVerified: Bool { isCertificateRight && hasKeys }
    var sendModes: [TrackID: SendMode] = [:]
    var isReceiving = false
    /// The tracks that ``setShowing(_:of:)`` hides.
    var hiddenTracks: Set<TrackID> = []
    /// The failures so far.
    var failures: [TrackFailure] = []
    var isClosed = false
    private var closing: Task<Void, Never>?
    var heldDigits: [DtmfDigit] = []
    /// The digits that the peer sent before its media was first shown; nil from then on.
    var earlyDigits: [DtmfDigit]? = []
    let gathering: CandidateGathering?
    var watchdogs: [Task<Void, Never>] = []
    /// Ends the hurry of the jitter buffers after a change of the path.
    var hurrying: Task<Void, Never>?
    var streamTotals = RtpStreamTotals()
    var lastStatistics = PeerStatistics()
    var lastReport = StatisticsReport()
    var candidateCount = 0
    var namedCandidates = NamedCandidates()

    /// `outputs` continue after this connection; nil: it has outputs of its own.
    init(
        _ configuration: PeerConnectionConfiguration, outputs: MediaOutputs? = nil, catalog: PipelineCatalog,
        logger: Logger
    ) {
        (self.outputs, ownsOutputs) = (outputs ?? MediaOutputs(), outputs == nil)
        self.configuration = configuration
        self.catalog = catalog
        self.logger = logger
        if case .inDescription = configuration.candidateDelivery {
            gathering = CandidateGathering()
        } else {
            gathering = nil
        }
        executor = QueueExecutor(label: "peer.\(configuration.label)")
        eventSink = Self.makeEvents()
        events = eventSink.elements
        reports = Self.makeReports()
    }

    /// `mLines` holds the index of each choice among all m-lines; nil means that there are no other m-lines.
    func build(
        _ choices: [PeerMedia.Choice], mLines: [Int]? = nil, isOfferer: Bool = false
    ) async throws(MediaError) -> PeerMedia {
        guard !isClosed else { throw .closed }
        var configuration = configuration
        // Only an offer names its streams.
        for (id, track) in configuration.tracks where !isOfferer || !track.direction.sends {
            configuration.tracks[id]?.simulcastScales = []
        }
        let (reports, eventSink, gathering) = (reports, eventSink, gathering)
        var modes: [TrackID: SendMode] = [:]
        for choice in choices { modes[choice.track] = mode(of: choice.track) }
        let media = try PeerMedia(
            configuration, choices: choices, modes: modes, outputs: outputs, catalog: catalog
        ) { report in
            guard case .event(let event) = report else {
                reports.yield(report)
                return
            }
            let moved = mLines.map(event.moved(to:)) ?? event
            guard case .localCandidate(let candidate) = moved.kind else {
                eventSink.yield(moved)
                return
            }
            // The candidates of another path are in no description.
            if let gathering, candidate.fragment == nil {
                gathering.note(candidate)
            } else {
                eventSink.yield(moved)
                if candidate.isEnd { eventSink.yield(.init(.candidatesGathered(.complete))) }
            }
        }
        self.media = media
        if watchdogs.isEmpty {
            watchdogs.append(Task { await self.watchReports() })
            watchdogs.append(Task { await self.watchNetwork() })
        }
        // The ICE thread must not be the last owner of events that nobody read.
        media.peer.activity.watchSilence(checkPath: { [weak ice = media.ice] in ice?.checkPath() }) {
            [weak eventSink] in
            eventSink?.yield(.init($0))
        }
        watchRoundTrip(media.peer)
        try await media.start()
        guard !isClosed else { throw .closed }
        return media
    }

    func built() throws(MediaError) -> PeerMedia {
        guard !isClosed else { throw .closed }
        guard let media else { throw .rejected(operation: "this operation", text: "nothing was negotiated yet") }
        return media
    }

    // MARK: Reports of the pipeline

    private func watchReports() async {
        for await report in reports.elements {
            guard !isClosed else { return }
            switch report {
            case .event: break
            case .pathChanged(let change): take(change)
            case .peerCertificate(let pem):
                // Only the first counts: the keys in use belong to it, even if a later handshake shows another one.
                guard earlyCertificate == nil else { break }
                earlyCertificate = pem
                checkCertificate()
            case .readyToSend:
                guard !hasKeys else { break }
                hasKeys = true
                followHandshake()
                beginIfVerified()
            case .dataChannel(let channel):
                if take(channel) { eventSink.yield(.init(.dataChannel(channel))) }
            case .bus(.latencyChanged): media?.pipeline.recalculateLatency()
            case .bus(.error(let element, let message, let debug, _)): takeError(of: element, message, debug)
            case .bus(.warning(let element, let message, let debug)):
                logger.warning("\(MediaError.elementFailed(element: element, message: message, debug: debug))")
            case .bus(.endOfStream), .bus(.segmentDone), .bus(.device): break
            case .bus(.dtmf(let event)):
                if let digit = DtmfDigit(event: event) { take(digit) }
            case .warning(let text): logger.warning("\(text)")
            }
        }
    }

    /// Reports a digit while the peer is shown: earlier digits are kept until the first showing, digits during a hold are dropped.
    private func take(_ digit: DtmfDigit) {
        if isReceiving {
            report([digit])
        } else if let early = earlyDigits, early.count < Self.maximumDigits {
            earlyDigits?.append(digit)
        }
    }

    func report(_ digits: [DtmfDigit]) { for digit in digits { eventSink.yield(.init(.dtmf(digit))) } }

    /// The certificate and the description may arrive in either order.
    func checkCertificate() {
        guard !isCertificateRight, let media, let earlyCertificate, let expected = remote?.fingerprint else { return }
        do throws(MediaError) {
            try UncheckedFingerprint.check(earlyCertificate, against: expected)
            isCertificateRight = true
            beginIfVerified()
        } catch {
            media.fingerprintCheck.fail()
            endDataChannels()
            eventSink.yield(.init(.failed(error)))
        }
    }

    private func beginIfVerified() {
        guard isVerified, let media else { return }
        // Sent first, so that no event about the peer's media has an earlier time.
        eventSink.yield(.init(.verified))
        media.fingerprintCheck.pass()
        do throws(MediaError) {
            try media.prepareSending(reducesRtcp: remote?.sections.first?.takesReducedSizeRtcp == true)
        } catch {
            eventSink.yield(.init(.failed(error)))
            return
        }
        let isLocal = media.peer.ice.handshakeRoundTrip.map { $0 < Pacer.localRoundTrip } ?? false
        for track in media.sending.values {
            if isLocal { track.rate?.notePath() }
            track.peerVerified()
        }
        for digit in heldDigits { try? media.sending[.audio]?.dtmf?.send(digit) }
        heldDigits = []
        watchdogs.append(Task { await self.requestFirstKeyFrame() })
    }

    /// Requests key frames until each video has one: the first one may be lost, and so may a request.
    ///
    /// A sender starts with a key frame, so the first request waits, too.
    private func requestFirstKeyFrame() async {
        while true {
            try? await Task.sleep(for: .milliseconds(configuration.tuning.keyFrameRequestIntervalMs))
            guard !Task.isCancelled, !isClosed, let media else { return }
            let waiting = media.receiving.values.filter { track in
                // A further video may never be sent.
                track.id.kind == .video && (track.id == .video || track.ssrc != nil) && !track.hasDecoded
                    && directions[track.id]?.receives == true && !hasFailed(track.id, .receiving)
            }
            if waiting.isEmpty { return }
            for track in waiting { track.requestKeyFrame() }
        }
    }

    /// Follows the round trip while lost packets are requested again; measuring it costs more than to ask whether any are.
    private func watchRoundTrip(_ peer: PeerPipeline) {
        let former = Mutex(0)
        let interval = Duration.seconds(1)
        let (activity, received, sent) = (peer.activity, peer.jitterBuffers, peer.retransmitted)
        // The ICE thread must not be the last owner of this or of the pipeline.
        IceThread.shared.runRepeatedly(after: interval) { [weak self, weak activity, weak received, weak sent] in
            guard let received, let sent, activity?.isOver == false else { return nil }
            let requests = received.requests + sent.count
            let isNew = former.withLock { former in
                defer { former = requests }
                return former != requests
            }
            if isNew { Task { [weak self] in await self?.followRoundTrip() } }
            return interval
        }
    }

    private func followRoundTrip() {
        guard !isClosed, let peer = media?.peer else { return }
        measure()
        if let roundTripMs = lastStatistics.transport.roundTripMs { follow(roundTripMs, peer) }
    }

    /// On a long path lost packets of the first second would be given up before they can arrive again.
    private func followHandshake() {
        guard let peer = media?.peer, let roundTrip = peer.ice.handshakeRoundTrip else { return }
        let milliseconds = roundTrip / .milliseconds(1)
        if milliseconds > RetransmissionTiming.assumedRoundTripMs { follow(milliseconds, peer) }
    }

    private func follow(_ roundTripMs: Double, _ peer: PeerPipeline) {
        peer.jitterBuffers.follow(roundTripMs: roundTripMs)
        peer.retransmitted.follow(roundTripMs: roundTripMs)
        outputs.playout.follow(roundTripMs: roundTripMs)
    }

    // MARK: Closing

    /// Ends the connection and frees everything; idempotent: every call returns when that is done.
    ///
    /// The teardown runs on its own thread. After ``TransportTuning/teardownMs`` it is abandoned, and the log reports that.
    public func close() async {
        let closing = closing ?? begunEnd()
        self.closing = closing
        await closing.value
    }

    private func begunEnd() -> Task<Void, Never> {
        // Nothing is sent or shown from here on, even if a later step is slow or hangs.
        media?.shut()
        measure()
        isClosed = true
        return Task { await self.end() }
    }

    private func end() async {
        let limit = Duration.milliseconds(configuration.tuning.teardownMs)
        endDataChannels()
        gathering?.abandon()
        for task in watchdogs + [hurrying].compactMap(\.self) { task.cancel() }
        watchdogs = []
        eventSink.finish()
        reports.finish()
        async let areOver = ownsOutputs ? outputs.close(within: limit) : true
        await dismantle()
        if await !areOver { logger.error("an output of \(configuration.label) did not end and was abandoned") }
    }

    /// Stops and frees the pipeline and its tracks.
    func dismantle() async {
        guard let media = media.take() else { return }
        let limit = Duration.milliseconds(configuration.tuning.teardownMs)
        if await !media.tearDown(within: limit, label: configuration.label) {
            logger.error("the teardown of \(configuration.label) did not end within \(limit) and was abandoned")
        }
    }
}
