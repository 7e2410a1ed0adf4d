internal import Foundation
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
    /// Ends with ``close()``.
    public nonisolated let events: AsyncStream<PeerConnectionEvent>

    var configuration: PeerConnectionConfiguration
    let catalog: PipelineCatalog
    let logger: Logger
    /// What may be seen and heard of the peer.
    nonisolated let outlets = Outlets()
    private let eventSink: AsyncStream<PeerConnectionEvent>.Continuation
    private let reports: AsyncStream<PeerPipeline.Report>
    private let reportSink: AsyncStream<PeerPipeline.Report>.Continuation
    private(set) var media: PeerMedia?
    private var offered: (description: RemoteDescription, choices: [[PeerMedia.Choice]])?
    var dataChannels: [DataChannel] = []
    private(set) var remote: RemoteDescription?
    /// Which way media flows on each m-line, as seen from this end; empty before the negotiation.
    ///
    /// The peer may have offered or answered that it only sends or only receives. A kind that the peer does not take is not sent and
    /// holds no device, whatever ``setSending(_:of:)`` says; of one that it does not send no ``PeerConnectionEvent/Kind/firstFrame(_:)`` comes.
    public private(set) var directions: [MediaKind: MediaDirection] = [:]
    private var heldCandidates: [IceCandidate] = []
    private var earlyCertificate: String?
    private var isCertificateRight = false
    private var hasKeys = false
    var isVerified: Bool { isCertificateRight && hasKeys }
    var sendModes: [MediaKind: SendMode] = [:]
    var isReceiving = false
    /// What is not shown or played though it might be.
    var hiddenKinds: Set<MediaKind> = []
    var isClosed = false
    private var closing: Task<Void, Never>?
    var heldDigits: [DtmfDigit] = []
    /// What the peer pressed before anything of it was shown for the first time; nil from then on.
    var earlyDigits: [DtmfDigit]? = []
    private let gathering: CandidateGathering?
    private var watchdogs: [Task<Void, Never>] = []
    private var lastStatistics = PeerStatistics()
    private var lastReport = StatisticsReport()
    private var statisticsRequest: Task<[String: PropertyValue]?, Never>?

    /// The most candidates that are kept while there is no remote description yet, and taken in all.
    public static let maximumCandidates = 64
    private var candidateCount = 0

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
        (events, eventSink) = AsyncStream.makeStream()
        (reports, reportSink) = AsyncStream.makeStream()
    }

    // MARK: Negotiation

    /// Builds the connection as the offering end and makes its offer; candidates follow in ``events``.
    public func createOffer() async throws(MediaError) -> SessionDescription {
        guard media == nil else {
            throw .rejected(operation: "createOffer", text: "this connection has negotiated already")
        }
        let choices = try OfferedChoices(configuration, catalog: catalog, warn: { logger.warning("\($0)") }).choices
        let media = try await build(choices.map { $0[0] })
        for channel in dataChannels { try media.open(channel) }
        let offer = media.addFormats(choices, to: try await media.create(.offer))
        offered = (try RemoteDescription(offer, acceptsData: true), choices)
        try await setLocal(offer, on: media)
        var local = LocalDescription(offer)
        media.fit(&local, choices)
        return try await complete(local)
    }

    /// Begins the search for candidates, which ends in any case.
    private func setLocal(_ description: SessionDescription, on media: PeerMedia) async throws(MediaError) {
        let limit = Duration.milliseconds(configuration.tuning.gatheringMs)
        watchdogs.append(
            Task {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                media.gathering.end()
            })
        try await media.setLocal(description)
    }

    /// Waits for the candidates, if they are to be in the description.
    private func complete(_ description: LocalDescription) async throws(MediaError) -> SessionDescription {
        guard !isClosed else { throw .closed }
        guard let gathering, case .inDescription(let timeout) = configuration.candidateDelivery else {
            return description.description
        }
        let (candidates, outcome) = await gathering.collect(timeout: .milliseconds(timeout))
        guard !isClosed else { throw .closed }
        eventSink.yield(.init(.candidatesGathered(outcome)))
        var description = description
        description.add(candidates, isComplete: outcome == .complete)
        return description.description
    }

    /// Builds the connection as the answering end and makes its answer; candidates follow in ``events``.
    ///
    /// - Throws: ``MediaError/invalidSDP(line:text:)`` and ``MediaError/noCommonCodec(media:)`` when the offer cannot be used.
    public func createAnswer(to offer: SessionDescription) async throws(MediaError) -> SessionDescription {
        guard media == nil else {
            throw .rejected(operation: "createAnswer", text: "this connection has negotiated already")
        }
        let remote = try RemoteDescription(offer, acceptsData: configuration.allowsDataChannels)
        var choices: [PeerMedia.Choice] = []
        for section in remote.sections { choices.append(try choice(for: section)) }
        directions = remote.directions
        let media = try await build(choices, mLines: remote.usedMLines)
        if remote.data == nil {
            endDataChannels()
        } else {
            for channel in dataChannels { try media.open(channel) }
        }
        try await settle(choices, media)
        try await setRemote(remote.keeping(choices.map(\.payloadTypes)), on: media)
        let alternatives = choices.map { [$0] }
        let answer = media.addFormats(alternatives, to: try await media.create(.answer))
        try await setLocal(answer, on: media)
        // webrtcbin answers an m-line that it cannot match with one that only receives, and what is sent there waits for ever.
        for section in try RemoteDescription(answer).sections where section.direction != .sendrecv {
            throw .noCommonCodec(media: section.kind.rawValue)
        }
        var local = LocalDescription(answer)
        media.fit(&local, alternatives)
        local.direct(remote.sections.map(\.direction.reversed))
        if let data = remote.data { local.moveLast(to: remote.usedMLines.count { $0 < data.index }) }
        local.insert(remote.refused)
        return try await complete(local)
    }

    /// Takes the peer's answer to ``createOffer()``.
    public func setAnswer(_ answer: SessionDescription) async throws(MediaError) {
        let media = try built()
        guard remote == nil else { throw .rejected(operation: "setAnswer", text: "this offer was answered already") }
        guard let offered else { throw .rejected(operation: "setAnswer", text: "this connection has made no offer") }
        let offersData = offered.description.data != nil
        var remote = try RemoteDescription(answer, acceptsData: offersData)
        try remote.check(asAnswerTo: media.choices.map(\.codec.kind), withData: offersData)
        if remote.data == nil {
            endDataChannels()
            media.silenceData()
        }
        remote = remote.restoring(from: offered.description)
        var agreed: [PeerMedia.Choice] = []
        for (section, choices) in zip(remote.sections, offered.choices) {
            agreed.append(try choice(of: choices, in: section))
        }
        directions = remote.directions
        for kind in directions.keys { applyMode(of: kind) }
        // Noted first, so that no second answer is taken meanwhile.
        self.remote = remote
        try await settle(agreed, media)
        try await setRemote(remote.keeping(agreed.map(\.payloadTypes)), on: media)
    }

    private func settle(_ choices: [PeerMedia.Choice], _ media: PeerMedia) async throws(MediaError) {
        try await media.settle(choices)
        guard !isClosed else {
            // Closed meanwhile: the teardown knows nothing of a track that was made after it began.
            for track in media.sending.values { await track.end() }
            throw .closed
        }
        for kind in directions.keys { applyMode(of: kind) }
        if isReceiving { setReceiving(true) }
    }

    /// Takes a candidate of the peer's; one that comes before the peer's description waits for it.
    ///
    /// One with a name instead of an address is passed over: names of this kind (`….local`) are looked up by multicast, which is off.
    /// - Throws: ``MediaError/invalidCandidate(text:)`` for a malformed one, and for more than ``maximumCandidates``.
    public func addCandidate(_ candidate: IceCandidate) throws(MediaError) {
        guard !isClosed else { throw .closed }
        try candidate.check()
        candidateCount += 1
        guard candidateCount <= Self.maximumCandidates else {
            throw .invalidCandidate(text: "the peer sent more than \(Self.maximumCandidates)")
        }
        guard candidate.namesAddress else {
            return logger.debug("passed over a candidate with a name instead of an address")
        }
        guard let media, let remote else { return heldCandidates.append(candidate) }
        guard let section = remote.section(ofMLine: candidate.mLine) else {
            throw .invalidCandidate(text: "there is no m-line \(candidate.mLine)")
        }
        media.add(candidate, toMLine: section)
    }

    private func setRemote(_ remote: RemoteDescription, on media: PeerMedia) async throws(MediaError) {
        self.remote = remote
        try media.agree(with: remote)
        try await media.setRemote(remote.forWebrtcbin)
        checkCertificate()
        for candidate in heldCandidates {
            if let section = remote.section(ofMLine: candidate.mLine) { media.add(candidate, toMLine: section) }
        }
        heldCandidates = []
        if remote.sections.contains(where: \.hasAllCandidates) { media.add(.endOfCandidates, toMLine: 0) }
    }

    /// `mLines` are the places of the choices among all m-lines; nil means that there are no others.
    private func build(
        _ choices: [PeerMedia.Choice], mLines: [Int]? = nil
    ) async throws(MediaError) -> PeerMedia {
        guard !isClosed else { throw .closed }
        let (reportSink, eventSink, gathering) = (reportSink, eventSink, gathering)
        var modes: [MediaKind: SendMode] = [:]
        for choice in choices { modes[choice.codec.kind] = mode(of: choice.codec.kind) }
        let media = try PeerMedia(
            configuration, choices: choices, modes: modes, outlets: outlets, catalog: catalog
        ) { report in
            guard case .event(let event) = report else {
                reportSink.yield(report)
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
                if candidate == .endOfCandidates { eventSink.yield(.init(.candidatesGathered(.complete))) }
            }
        }
        self.media = media
        watchdogs.append(Task { await self.watchReports() })
        watchdogs.append(Task { await self.watchSilence() })
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
        for await report in reports {
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
            case .bus(.error(let element, let message, let debug, _)):
                eventSink.yield(.init(.failed(.elementFailed(element: element, message: message, debug: debug))))
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
    private func checkCertificate() {
        guard !isCertificateRight, let media, let earlyCertificate, let expected = remote?.fingerprint else { return }
        do throws(MediaError) {
            try UncheckedFingerprint.check(earlyCertificate, against: expected)
            isCertificateRight = true
            beginIfVerified()
        } catch {
            media.fingerprintCheck.fail()
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
            guard !Task.isCancelled, !isClosed, let track = media?.receiving[.video], !track.hasDecoded else { return }
            track.requestKeyFrame()
        }
    }

    private func watchSilence() async {
        let limit = Duration.milliseconds(configuration.tuning.silenceMs)
        var isInterrupted = false
        while !isClosed, !Task.isCancelled {
            if let rhythm = media?.rhythm, rhythm.last != nil {
                let isSilent = rhythm.isSilent(at: .now, limit: limit)
                if isSilent != isInterrupted { eventSink.yield(.init(isSilent ? .interrupted : .resumed)) }
                isInterrupted = isSilent
            }
            try? await Task.sleep(for: limit / 10)
        }
    }

    // MARK: Statistics and end

    /// What was sent and received so far; takes under a millisecond.
    ///
    /// The last figures remain after ``close()``.
    public func statistics() async -> PeerStatistics {
        guard let media, !isClosed else { return lastStatistics }
        // One request at a time: close() waits for the one that runs, because 1.22 has a race between statistics and the end
        // of a session (https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4528).
        let request = statisticsRequest ?? Task { try? await media.transportStatistics() }
        statisticsRequest = request
        let reply = await request.value
        let transport = reply.map { PeerStatistics.Transport(webrtcbin: $0) } ?? lastStatistics.transport
        if statisticsRequest == request { statisticsRequest = nil }
        // Closed meanwhile: the pads have lost their caps.
        guard !isClosed else { return lastStatistics }
        lastStatistics = media.statistics(transport: transport)
        if let reply {
            let now = Date().timeIntervalSince1970 * 1_000
            let report = media.report(reply, lastStatistics, timestamp: now)
            lastReport = report.keepingReports(of: lastReport)
        }
        return lastStatistics
    }

    /// The same under W3C's names, for tools that know those; the last report remains after ``close()``.
    public func statisticsReport() async -> StatisticsReport {
        _ = await statistics()
        return lastReport
    }

    /// Ends the connection and frees everything; idempotent, and whoever calls it returns when that is done.
    ///
    /// Runs on a thread of its own, and is abandoned and reported in the log after ``TransportTuning/teardownMs``.
    public func close() async {
        let closing = closing ?? Task { await self.end() }
        self.closing = closing
        await closing.value
    }

    private func end() async {
        let limit = Duration.milliseconds(configuration.tuning.teardownMs)
        // The last figures; a webrtcbin that hangs gives none.
        _ = await Deadline.isMet(limit / 5) { _ = await self.statistics() }
        isClosed = true
        endDataChannels()
        gathering?.abandon()
        for watchdog in watchdogs { watchdog.cancel() }
        watchdogs = []
        eventSink.finish()
        reportSink.finish()
        outlets.end()
        guard let media = media.take() else { return }
        if await !media.tearDown(within: limit, label: configuration.label) {
            logger.error("the teardown of \(configuration.label) did not end within \(limit) and was abandoned")
        }
    }
}
