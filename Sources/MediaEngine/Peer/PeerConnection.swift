internal import Logging

/// One connection to one peer: a pipeline, its transport, and one track of each kind in both directions.
///
/// It negotiates once: an offer and its answer. What `webrtcbin` cannot renegotiate is done by a new peer connection. All gates
/// begin closed: nothing is sent before ``setSending(_:of:)`` and nothing shown before ``setReceiving(_:)``, and neither
/// before the peer's certificate was checked. Runs on an executor of its own, since calls into GStreamer block.
public actor PeerConnection {
    private let executor: QueueExecutor
    /// A serial queue of this connection's own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// What happens, in order; for one consumer.
    ///
    /// Ends with ``close()``. Of a reader that is too far behind some are kept from, see ``maximumWaitingEvents``.
    public nonisolated let events: AsyncStream<PeerConnectionEvent>

    var configuration: PeerConnectionConfiguration
    let catalog: PipelineCatalog
    let logger: Logger
    /// What may be seen and heard of the peer.
    nonisolated let outlets = Outlets()
    nonisolated let eventSink: BoundedStream<PeerConnectionEvent>
    private let reports: BoundedStream<PeerPipeline.Report>
    private(set) var media: PeerMedia?
    /// Whether ``media`` was built before the offer that it is to answer.
    var isPrepared = false
    var offered: (description: RemoteDescription, choices: [[PeerMedia.Choice]])?
    var dataChannels: [DataChannel] = []
    var remote: RemoteDescription?
    /// Which way media flows on each m-line, as seen from this end; empty before the negotiation.
    ///
    /// The peer may have offered or answered that it only sends or only receives. A kind that the peer does not take is not sent and
    /// holds no device, whatever ``setSending(_:of:)`` says; of one that it does not send no ``PeerConnectionEvent/Kind/firstFrame(_:)`` comes.
    public internal(set) var directions: [MediaKind: MediaDirection] = [:]
    var heldCandidates: [IceCandidate] = []
    private var earlyCertificate: String?
    private var isCertificateRight = false
    private var hasKeys = false
    var isVerified: Bool { isCertificateRight && hasKeys }
    var sendModes: [MediaKind: SendMode] = [:]
    var isReceiving = false
    /// What is not shown or played though it might be.
    var hiddenKinds: Set<MediaKind> = []
    /// What has failed so far.
    var failures: [TrackFailure] = []
    var isClosed = false
    private var closing: Task<Void, Never>?
    /// What takes the figures of the end; nil before ``close()``.
    private(set) var lastFigures: Task<Void, Never>?
    var heldDigits: [DtmfDigit] = []
    /// What the peer pressed before anything of it was shown for the first time; nil from then on.
    var earlyDigits: [DtmfDigit]? = []
    let gathering: CandidateGathering?
    var watchdogs: [Task<Void, Never>] = []
    var lastStatistics = PeerStatistics()
    var lastReport = StatisticsReport()
    var statisticsRequest: Task<[String: PropertyValue]?, Never>?
    var candidateCount = 0

    init(_ configuration: PeerConnectionConfiguration, catalog: PipelineCatalog, logger: Logger) {
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

    /// `mLines` are the places of the choices among all m-lines; nil means that there are no others.
    func build(
        _ choices: [PeerMedia.Choice], mLines: [Int]? = nil
    ) async throws(MediaError) -> PeerMedia {
        guard !isClosed else { throw .closed }
        let (reports, eventSink, gathering) = (reports, eventSink, gathering)
        var modes: [MediaKind: SendMode] = [:]
        for choice in choices { modes[choice.codec.kind] = mode(of: choice.codec.kind) }
        let media = try PeerMedia(
            configuration, choices: choices, modes: modes, outlets: outlets, catalog: catalog
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
            if let gathering {
                gathering.note(candidate)
            } else {
                eventSink.yield(moved)
                if candidate.isEnd { eventSink.yield(.init(.candidatesGathered(.complete))) }
            }
        }
        self.media = media
        if watchdogs.isEmpty {
            watchdogs.append(Task { await self.watchReports() })
            watchdogs.append(Task { await self.watchSilence() })
        }
        try await media.start()
        return media
    }

    func built() throws(MediaError) -> PeerMedia {
        guard !isClosed else { throw .closed }
        guard let media else { throw .rejected(operation: "this operation", text: "nothing was negotiated yet") }
        return media
    }

    // MARK: What the pipeline reports

    private func watchReports() async {
        for await report in reports.elements {
            guard !isClosed else { return }
            switch report {
            case .event: break
            case .peerCertificate(let pem):
                // Only the first counts: the keys that are in use belong to it, whatever a later handshake shows.
                guard earlyCertificate == nil else { break }
                earlyCertificate = pem
                checkCertificate()
            case .readyToSend:
                guard !hasKeys else { break }
                hasKeys = true
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

    /// Nothing of the peer before it is shown: what it pressed earlier is told then, what it presses during a hold is not.
    private func take(_ digit: DtmfDigit) {
        if isReceiving {
            tell([digit])
        } else if let early = earlyDigits, early.count < Self.maximumDigits {
            earlyDigits?.append(digit)
        }
    }

    func tell(_ digits: [DtmfDigit]) { for digit in digits { eventSink.yield(.init(.dtmf(digit))) } }

    /// Certificate and description come in either order.
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
        // Told first, so that nothing of the peer has an earlier time.
        eventSink.yield(.init(.verified))
        media.fingerprintCheck.pass()
        do throws(MediaError) {
            try media.prepareSending()
        } catch {
            eventSink.yield(.init(.failed(error)))
            return
        }
        for track in media.sending.values { track.verified() }
        for digit in heldDigits { try? media.sending[.audio]?.dtmf?.send(digit) }
        heldDigits = []
        watchdogs.append(Task { await self.requestFirstKeyFrame() })
    }

    /// Asks for a key frame as long as none has come: the first one may be lost, and so may a request.
    ///
    /// Whoever begins to send begins with a key frame, so the first request waits, too.
    private func requestFirstKeyFrame() async {
        while directions[.video]?.receives == true {
            try? await Task.sleep(for: .milliseconds(configuration.tuning.keyFrameRequestIntervalMs))
            guard !Task.isCancelled, !isClosed, let track = media?.receiving[.video], !track.hasDecoded,
                !hasFailed(.video, .receiving)
            else { return }
            track.requestKeyFrame()
        }
    }

    /// Looks when silence would mean something, not more often, since each look wakes threads; patience may become shorter meanwhile.
    private func watchSilence() async {
        let limit = Duration.milliseconds(configuration.tuning.silenceMs)
        var isInterrupted = false
        while !isClosed, !Task.isCancelled {
            var next = ContinuousClock.now + limit / 10
            if let rhythm = media?.rhythm, let end = rhythm.endOfPatience(limit) {
                let isSilent = end < .now
                if isSilent != isInterrupted { eventSink.yield(.init(isSilent ? .interrupted : .resumed)) }
                isInterrupted = isSilent
                next = max(next, min(end, .now + limit))
            }
            try? await Task.sleep(until: next, clock: .continuous)
        }
    }

    // MARK: The end

    /// Ends the connection and frees everything; idempotent, and whoever calls it returns when that is done.
    ///
    /// Runs on a thread of its own, and is abandoned and reported in the log after ``TransportTuning/teardownMs``.
    public func close() async {
        let closing = closing ?? begunEnd()
        self.closing = closing
        await closing.value
    }

    private func begunEnd() -> Task<Void, Never> {
        // Nothing is sent or shown from here on, whatever takes its time or hangs later.
        media?.shut()
        let figures = Task { await self.measure() }
        lastFigures = figures
        return Task { await self.end(after: figures) }
    }

    private func end(after figures: Task<Void, Never>) async {
        let limit = Duration.milliseconds(configuration.tuning.teardownMs)
        // A webrtcbin that hangs gives none.
        _ = await Deadline.isMet(limit / 5) { await figures.value }
        isClosed = true
        endDataChannels()
        gathering?.abandon()
        for watchdog in watchdogs { watchdog.cancel() }
        watchdogs = []
        eventSink.finish()
        reports.finish()
        outlets.end()
        await dismantle()
    }

    /// Stops and frees what was built.
    func dismantle() async {
        guard let media = media.take() else { return }
        let limit = Duration.milliseconds(configuration.tuning.teardownMs)
        if await !media.tearDown(within: limit, label: configuration.label) {
            logger.error("the teardown of \(configuration.label) did not end within \(limit) and was abandoned")
        }
    }
}
