internal import CallProtocol
internal import MediaEngine
internal import Synchronization

/// One peer connection of the engine, translated for the rules.
final class PeerMediaSession: MediaSession {
    let events: AsyncStream<MediaSessionEvent>
    let peer: PeerConnection
    var peerConnection: PeerConnection? { peer }
    var outputs: MediaOutputs { peer.outputs }
    let dataChannels: AsyncStream<DataChannel>
    private let engine: Engine
    /// What an offer of this end has.
    private let tracks: Set<TrackID>
    /// The servers of the configuration, besides those that signaling provides.
    private let ownServers: [IceServer]
    private let shownBeforeOpening = Mutex<[TrackID: Int]?>(nil)

    init(_ peer: PeerConnection, tracks: Set<TrackID>, ownServers: [IceServer] = [], engine: Engine) {
        (self.engine, self.ownServers) = (engine, ownServers)
        self.tracks = tracks
        self.peer = peer
        let (channels, opened) = AsyncStream.makeStream(
            of: DataChannel.self, bufferingPolicy: .bufferingOldest(PeerConnection.maximumDataChannels))
        dataChannels = channels
        // Reads the connection's own stream on demand, so that only one buffer bounds the events.
        events = AsyncStream {
            var iterator = peer.events.makeAsyncIterator()
            while let event = await iterator.next() {
                if case .dataChannel(let channel) = event.kind { opened.yield(channel) }
                if let event = MediaSessionEvent(event) { return event }
            }
            opened.finish()
            return nil
        }
    }

    func createOffer() async throws(MediaSessionError) -> String {
        do { return try await peer.createOffer().sdp } catch { throw MediaSessionError(error) }
    }

    func prepareAnswer() async throws(MediaSessionError) {
        do { try await peer.prepareAnswer() } catch { throw MediaSessionError(error) }
    }

    func createAnswer(to offer: String) async throws(MediaSessionError) -> String {
        let offer = SessionDescription(kind: .offer, sdp: offer)
        let answer: SessionDescription
        do { answer = try await peer.createAnswer(to: offer) } catch { throw MediaSessionError(error) }
        // The call would wait in vain for a medium without an m-line.
        if let missing = await tracks.filter({ $0.number == 1 }).subtracting(peer.directions.keys).min() {
            let text = "the offer has no \(missing) in use, which its call is to have"
            throw MediaSessionError(fault: .incompatible(text: text), description: text)
        }
        return answer.sdp
    }

    func setAnswer(_ sdp: String) async throws(MediaSessionError) {
        let answer = SessionDescription(kind: .answer, sdp: sdp)
        do { try await peer.setAnswer(answer) } catch { throw MediaSessionError(error) }
    }

    func addCandidate(_ candidate: SignalingMessage.Candidate) async throws(MediaSessionError) {
        let candidate = IceCandidate(mLine: candidate.mLine, candidate: candidate.candidate)
        do { try await peer.addCandidate(candidate) } catch { throw MediaSessionError(error) }
    }

    func restartIce(_ number: Int) async throws(MediaSessionError) {
        do { try await peer.restartIce(number) } catch { throw MediaSessionError(error) }
    }

    func setIceParameters(_ parameters: SignalingMessage.IceParameters) async throws(MediaSessionError) {
        let parameters = IceParameters(
            restart: parameters.restart, fragment: parameters.fragment, password: parameters.password)
        do { try await peer.setIceParameters(parameters) } catch { throw MediaSessionError(error) }
    }

    func use(_ servers: [IceServer]) async throws(MediaSessionError) {
        do { try await peer.use((ownServers + servers.compactMap(\.usable)).map { StunTurnServer($0) }) } catch {
            throw MediaSessionError(error)
        }
    }

    func setGates(_ gates: MediaGates) async {
        for track in tracks.sorted() {
            await peer.setSending(SendMode(track.kind == .audio ? gates.audio : gates.video), of: track)
        }
        let passed = await peer.setReceiving(gates.isReceiving)
        guard gates.isReceiving else { return }
        shownBeforeOpening.withLock { if $0 == nil { $0 = passed } }
    }

    func setSource(_ source: MediaSource) async throws(MediaSessionError) {
        do { try await peer.setSource(try engine.capture(source), processing: source.processing) } catch {
            throw MediaSessionError(error)
        }
    }

    func turnVideo(_ orientation: VideoOrientation) async throws(MediaSessionError) {
        do { try await peer.turnVideo(orientation) } catch { throw MediaSessionError(error) }
    }

    func setOutput(_ isOn: Bool) async { await peer.setShowing(isOn, of: .audio) }

    func openDataChannel(
        _ label: String, options: DataChannelOptions
    ) async throws(MediaSessionError) -> DataChannel {
        do { return try await peer.makeDataChannel(label, options: options) } catch { throw MediaSessionError(error) }
    }

    func sendDTMF(_ digits: String) async throws(MediaSessionError) -> Bool {
        do { return try await peer.sendDTMF(digits) } catch { throw MediaSessionError(error) }
    }

    func report() async -> MediaReport {
        let statistics = await peer.statistics()
        let before = shownBeforeOpening.withLock { $0 }
        var report = MediaReport()
        report.video = Self.pair(.video, statistics, before)
        report.audio = Self.pair(.audio, statistics, before)
        for number in 2...TrackID.maximumVideos {
            report.additionalVideos[number] = Self.pair(.video(number), statistics, before)
        }
        report.rtcStatistics = await peer.statisticsReport()
        report.transport.selectedPair = statistics.transport.selectedPair
        report.transport.selectedPairSince = statistics.transport.selectedPairSince
        report.transport.selectedPairChanges = statistics.transport.selectedPairChanges
        report.transport.roundTripMs = statistics.transport.roundTripMs
        report.transport.availableOutgoingBitrate = statistics.transport.availableOutgoingBitrate
        report.transport.availableIncomingBitrate = statistics.transport.availableIncomingBitrate
        report.transport.packetsLost = statistics.transport.packetsLost
        report.transport.bytesSent = statistics.transport.bytesSent
        report.transport.bytesReceived = statistics.transport.bytesReceived
        return report
    }

    func statistics() async -> StatisticsReport { await peer.statisticsReport() }

    func setOpus(_ parameters: OpusParameters) async throws(MediaSessionError) {
        do { try await peer.setOpus(parameters) } catch { throw MediaSessionError(error) }
    }

    func close() async { await peer.close() }

    private static func pair(
        _ track: TrackID, _ statistics: PeerStatistics, _ before: [TrackID: Int]?
    ) -> MediaReport.Track? {
        guard let sent = statistics.sent[track], let received = statistics.received[track] else { return nil }
        var result = MediaReport.Received(codec: received.codec.encodingName)
        result.width = received.width
        result.height = received.height
        result.decoded = received.decoded
        result.distinctFrames = received.distinctFrames
        result.quality = received.quality
        result.audioQuality = received.audioQuality
        result.speechQuality = received.speechQuality
        result.toneHz = received.toneHz
        result.clippedMs = received.clippedSeconds.map { $0 * 1_000 }
        result.framesReceived = received.framesReceived
        result.keyFramesReceived = received.keyFramesReceived
        result.framesDropped = received.framesDropped
        result.seconds = received.seconds
        result.shown = received.shown
        // If the gates were never opened, everything shown was shown before opening.
        result.shownBeforeOpening = before.map { $0[track] ?? 0 } ?? received.shown
        result.arrivals = received.arrivals
        result.aboveMaxRateMs = received.aboveMaxRateMs
        var outgoing = MediaReport.Sent(
            codec: sent.codec.encodingName, width: sent.width, height: sent.height, frames: sent.frames,
            toneHz: sent.toneHz)
        outgoing.framesDropped = sent.framesDropped
        outgoing.seconds = sent.seconds
        return MediaReport.Track(sent: outgoing, received: result)
    }
}

extension IceServer {
    /// The server with those of its URLs that can be used; nil when there are none.
    ///
    /// One malformed URL that a signaling server hands out would make every call fail.
    var usable: IceServer? {
        var server = self
        server.urls = urls.filter { url in
            (try? StunTurnServer.check([StunTurnServer(urls: [url], username: username, credential: credential)]))
                != nil
        }
        return server.urls.isEmpty ? nil : server
    }
}

extension StunTurnServer {
    init(_ server: IceServer) {
        self.init(urls: server.urls, username: server.username, credential: server.credential)
    }
}

extension MediaSessionEvent {
    /// Nil for what the rules need not know: they follow the first video, and the user learns what is wrong with a further one.
    init?(_ event: PeerConnectionEvent) {
        let translated: MediaFact
        if let track = event.kind.track, track.number > 1 {
            guard let fault = event.kind.fault(of: track) else { return nil }
            translated = .warning(fault)
        } else {
            guard let fact = MediaFact(event.kind) else { return nil }
            translated = fact
        }
        self.init(translated, at: event.at)
    }
}

extension PeerConnectionEvent.Kind {
    /// The track that it is about; nil for other events.
    fileprivate var track: TrackID? {
        switch self {
        case .firstFrame(let track), .firstShown(let track), .captureFailed(let track, _), .captureLost(let track, _),
            .captureRestored(let track), .sinkFailed(let track, _), .trackRefused(let track),
            .frameSizeSent(_, _, let track), .frameSizeReceived(_, _, let track), .videoAdapted(_, let track):
            track
        case .trackFailed(let failure): failure.track
        default: nil
        }
    }

    /// What is wrong with a further video, for the user.
    fileprivate func fault(of track: TrackID) -> String? {
        switch self {
        case .captureFailed(_, let error), .captureLost(_, let error), .sinkFailed(_, let error):
            "\(track): \(error.description)"
        case .trackRefused: "\(track) is not sent: the peer takes fewer videos"
        case .trackFailed(let failure): failure.description
        default: nil
        }
    }
}

extension MediaFact {
    fileprivate init?(_ kind: PeerConnectionEvent.Kind) {
        let translated: MediaFact? =
            switch kind {
            case .localCandidate(let candidate):
                .localCandidate(.init(candidate: candidate.candidate, mLine: candidate.mLine))
            case .iceConnected: .iceConnected
            case .verified: .verified
            case .firstFrame(let track): track.kind == .video ? .firstVideoFrame : .firstAudioSample
            case .firstShown(let track): track.kind == .video ? .firstVideoShown : .firstAudioHeard
            case .interrupted: .interrupted
            case .resumed: .resumed
            case .pathChecked: .pathChecked
            case .mediaMissing: .mediaMissing
            case .pathSilent: .pathSilent
            case .networkChanged: .networkChanged
            case .iceParameters(let parameters):
                .iceParameters(
                    .init(
                        restart: parameters.restart, fragment: parameters.fragment, password: parameters.password))
            case .pathChanged(let change): .pathChanged(NetworkPathChange(change))
            case .candidatesGathered(let outcome): .gathered("\(outcome)")
            case .dataChannel: .dataChannel
            case .relayUnavailable(let text): .warning(text)
            case .recordingFailed(let error): .recordingFailed(error.description)
            case .sinkFailed(_, let error): .warning(error.description)
            case .eventsDropped(let count):
                .warning("\(count) events of the media were dropped: they were not read in time")
            case .captureFailed(let track, let error): .captureFailed(CaptureFault(track.kind, error))
            case .captureLost(let track, let error): .captureLost(CaptureFault(track.kind, error))
            case .captureRestored(let track): .captureRestored(.init(track.kind))
            case .frameSizeSent(let width, let height, _): .frameSizeSent(.init(width: width, height: height))
            case .frameSizeReceived(let width, let height, _): .frameSizeReceived(.init(width: width, height: height))
            case .videoAdapted(let adaptation, _): .videoAdapted(VideoChange(adaptation))
            case .trackFailed(let failure): .trackFailed(TrackFault(failure))
            // Such a peer only sends: a client that publishes, or a participant of a room.
            case .trackRefused: nil
            case .failed(let error): .failed(MediaSessionError(error).fault)
            case .dtmf(let digit): .dtmf(digit: String(digit.character))
            }
        guard let translated else { return nil }
        self = translated
    }
}

extension VideoChange {
    init(_ adaptation: VideoAdaptation) {
        self.init(
            from: Video(adaptation.from), to: Video(adaptation.to),
            reason: Reason(adaptation.reason))
    }
}

extension VideoChange.Reason {
    init(_ reason: VideoAdaptation.Reason) {
        self =
            switch reason {
            case .bandwidth: .bandwidth
            case .cpu: .cpu
            case .recovery: .recovery
            }
    }
}

extension VideoChange.Video {
    init(_ frames: VideoAdaptation.Frames) {
        self.init(size: FrameSize(width: frames.width, height: frames.height), frameRate: frames.rate)
    }
}

extension NetworkPathChange {
    init(_ change: IcePathChange) {
        self.init(
            restart: change.restart, durationMs: change.milliseconds,
            before: change.before.map { NetworkPath($0) }, after: NetworkPath(change.after))
    }
}

extension NetworkPath {
    init(_ pair: IceCandidatePair) { self.init(local: Candidate(pair.local), remote: Candidate(pair.remote)) }
}

extension NetworkPath.Candidate {
    init(_ candidate: IceCandidatePair.Candidate) {
        self.init(type: candidate.type.rawValue, address: candidate.address, port: candidate.port)
    }
}

extension CaptureFault {
    init(_ kind: MediaKind, _ error: MediaError) {
        guard case .sourceFailed(let source, let fault, let text) = error else {
            self.init(medium: .init(kind), cause: .other, text: error.description)
            return
        }
        self.init(
            medium: .init(kind), source: source, cause: Cause(rawValue: fault.rawValue) ?? .other, text: text,
            remedy: fault.advice(for: source))
    }
}

extension TrackFault {
    init(_ failure: TrackFailure) {
        self.init(
            medium: .init(failure.track.kind), direction: failure.direction == .sending ? .sending : .receiving,
            element: failure.element, text: failure.text, remedy: failure.remedy)
    }
}

extension SendMode {
    init(_ sending: MediaGates.Sending) {
        switch sending {
        case .off: self = .off
        case .closed: self = .closed
        case .blank: self = .blank
        case .live: self = .live
        }
    }
}
