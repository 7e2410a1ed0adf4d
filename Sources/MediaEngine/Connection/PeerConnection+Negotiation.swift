internal import Logging

/// Offer, answer and candidates.
extension PeerConnection {
    /// Builds the connection as the offerer and creates its offer; candidates follow in ``events``.
    public func createOffer() async throws(MediaError) -> SessionDescription {
        guard media == nil else {
            throw .rejected(operation: "createOffer", text: "this connection has negotiated already")
        }
        try configuration.checkTracks()
        let choices = try OfferedChoices(configuration, catalog: catalog, warn: { logger.warning("\($0)") }).choices
        try offerDataChannels()
        let media = try await build(choices.map { $0[0] }, isOfferer: true)
        try openWaitingChannels(media)
        let offer = media.addFormats(
            choices, transportSequenceIds: choices.map { _ in transportSequenceId(TransportFeedback.offeredId) },
            to: try await media.create(.offer))
        offered = (try RemoteDescription(offer, tracks: tracks, acceptsData: true), choices)
        try await setLocal(offer, on: media)
        var local = LocalDescription(offer)
        media.fit(&local, choices)
        for (index, id) in media.choices.map(\.track).enumerated()
        where id.kind == .audio && configuration.tracks[id]?.sendsLevel == true {
            local.append(AudioLevel.offer, toMLine: index)
        }
        if hasSeveralVideos(media.choices) {
            for index in media.choices.indices {
                local.append(StreamRoutes.line(StreamRoutes.offeredId), toMLine: index)
            }
        }
        for (index, choice) in media.choices.enumerated() {
            guard let track = media.sending[choice.track], let simulcast = track.simulcast else { continue }
            simulcast.repair(track.ssrc, by: local.retransmission(of: track.ssrc, inMLine: index))
            local.addSimulcast(simulcast.encodings.map(\.sources), of: track.ssrc, toMLine: index)
        }
        local.direct(media.choices.map { configuredDirection(of: $0.track) })
        return try await complete(local)
    }

    /// Sets the local description and starts to gather candidates, with a time limit.
    private func setLocal(_ description: SessionDescription, on media: PeerMedia) async throws(MediaError) {
        // The watchdog would keep the media.
        guard !isClosed else { throw .closed }
        let limit = Duration.milliseconds(configuration.tuning.gatheringMs)
        watchdogs.append(
            Task {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                media.gathering.end()
            })
        try await media.setLocal(description)
    }

    /// Waits for the candidates if they belong into the description.
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

    /// Builds what an answer needs before the offer arrives, with the codecs that this end prefers.
    ///
    /// If the offer prefers other codecs or has other m-lines, also further videos, ``createAnswer(to:)`` builds everything again. Until then a capture
    /// is open and an encoder waits.
    public func prepareAnswer() async throws(MediaError) {
        guard media == nil else {
            throw .rejected(operation: "prepareAnswer", text: "this connection has negotiated already")
        }
        try configuration.checkTracks()
        var expected = configuration
        expected.tracks = expected.tracks.filter { $0.key.number == 1 }
        let choices = try OfferedChoices(expected, catalog: catalog, warn: { logger.warning("\($0)") }).choices
        _ = try await build(choices.map { $0[0] })
        isPrepared = true
    }

    /// What ``prepareAnswer()`` built, if its codecs and m-lines match the answer; otherwise tears it down.
    ///
    /// webrtcbin answers with the codec whose caps reached a pad first, even if its transceiver prefers another one by then.
    private func prepared(for choices: [PeerMedia.Choice], _ mLines: [Int]) async -> PeerMedia? {
        guard isPrepared, let media else { return nil }
        isPrepared = false
        let isFitting =
            media.choices.map(\.track) == choices.map(\.track) && media.choices.map(\.codec) == choices.map(\.codec)
            && mLines == Array(mLines.indices)
        if !isFitting { await dismantle() }
        return isFitting ? media : nil
    }

    /// Builds the connection as the answerer and creates its answer; candidates follow in ``events``.
    ///
    /// If this connection has no track for an m-line, it rejects that m-line with port 0 (RFC 9429 section 5.3.1) and uses the others.
    /// - Throws: ``MediaError/invalidSDP(line:text:)`` and ``MediaError/noCommonCodec(media:)`` when the offer cannot be used.
    public func createAnswer(to offer: SessionDescription) async throws(MediaError) -> SessionDescription {
        guard media == nil || isPrepared else {
            throw .rejected(operation: "createAnswer", text: "this connection has negotiated already")
        }
        try configuration.checkTracks()
        configuration = configuration.answering()
        var remote = try RemoteDescription(
            offer, tracks: tracks, acceptsData: configuration.allowsDataChannels)
        var choices: [PeerMedia.Choice] = []
        for section in remote.sections {
            do throws(MediaError) {
                choices.append(try choice(for: section))
            } catch {
                guard section.track.number > 1 else { throw error }
                remote.refuse(section.track)
            }
        }
        directions = agreedDirections(of: remote)
        hasData = remote.data != nil
        let prepared = await prepared(for: choices, remote.usedMLines)
        let media = if let prepared { prepared } else { try await build(choices, mLines: remote.usedMLines) }
        if remote.data == nil {
            endDataChannels()
        } else {
            try openWaitingChannels(media)
        }
        let id = transportSequenceId(remote.sections.compactMap(\.transportSequenceId).first)
        let usable = keeping(choices, of: remote).numberingPackets(by: id)
        agreeOnHeaderExtensions(for: &choices, in: usable)
        try await apply(choices, media)
        try await setRemote(usable, on: media)
        reportRefusedTracks()
        let alternatives = choices.map { [$0] }
        let answer = media.addFormats(
            alternatives, transportSequenceIds: usable.sections.map(\.transportSequenceId),
            to: try await media.create(.answer))
        try await setLocal(answer, on: media)
        // webrtcbin answers an m-line that it cannot match as receive-only, and media sent there waits forever.
        for section in try RemoteDescription(answer, tracks: tracks).sections where section.direction != .sendrecv {
            throw .noCommonCodec(media: section.kind.rawValue)
        }
        var local = LocalDescription(answer)
        media.fit(&local, alternatives)
        // webrtcbin offers it, and does not answer it.
        for (index, section) in remote.sections.enumerated()
        where section.takesReducedSizeRtcp && !local.has("a=rtcp-rsize", inMLine: index) {
            local.append("a=rtcp-rsize", toMLine: index)
        }
        for (index, section) in remote.sections.enumerated() where hasSeveralVideos(choices) {
            if let id = section.midId { local.append(StreamRoutes.line(id), toMLine: index) }
        }
        local.direct(remote.sections.map { directions[$0.track] ?? .inactive })
        if let data = remote.data { local.moveLast(to: remote.usedMLines.count { $0 < data.index }) }
        local.insert(remote.refused)
        return try await complete(local)
    }

    /// Applies the peer's answer to ``createOffer()``.
    public func setAnswer(_ answer: SessionDescription) async throws(MediaError) {
        let media = try built()
        guard remote == nil else { throw .rejected(operation: "setAnswer", text: "this offer was answered already") }
        guard let offered else { throw .rejected(operation: "setAnswer", text: "this connection has made no offer") }
        let offersData = offered.description.data != nil
        var remote = try RemoteDescription(answer, tracks: tracks, acceptsData: offersData)
        try remote.check(asAnswerTo: media.choices.map(\.codec.kind), withData: offersData)
        hasData = remote.data != nil
        if remote.data == nil {
            endDataChannels()
            media.silenceData()
        }
        remote = remote.restoring(from: offered.description)
        var agreed: [PeerMedia.Choice] = []
        for (section, choices) in zip(remote.sections, offered.choices) {
            agreed.append(try choice(of: choices, in: section))
        }
        directions = agreedDirections(of: remote)
        for track in directions.keys { applyMode(of: track) }
        // Set first, so that no second answer is accepted meanwhile.
        self.remote = remote
        let id = transportSequenceId(TransportFeedback.offeredId)
        let usable = keeping(agreed, of: remote).numberingPackets(by: id)
        agreeOnHeaderExtensions(for: &agreed, in: usable)
        try await apply(agreed, media)
        try await setRemote(usable, on: media)
        reportRefusedTracks()
    }

    private func reportRefusedTracks() {
        for (id, track) in configuration.tracks.sorted(by: { $0.key < $1.key })
        where track.source != nil && track.direction.sends && directions[id]?.sends != true {
            eventSink.yield(.init(.trackRefused(id)))
        }
    }

    private var tracks: Set<TrackID> { Set(configuration.tracks.keys) }

    private func hasSeveralVideos(_ choices: [PeerMedia.Choice]) -> Bool {
        choices.count { $0.track.kind == .video } > 1
    }

    private func configuredDirection(of track: TrackID) -> MediaDirection {
        configuration.tracks[track]?.direction ?? .inactive
    }

    /// What the peer's description and the configuration both allow.
    private func agreedDirections(of remote: RemoteDescription) -> [TrackID: MediaDirection] {
        Dictionary(
            uniqueKeysWithValues: remote.directions.map { ($0, $1.limited(to: configuredDirection(of: $0))) })
    }

    private func transportSequenceId(_ id: Int?) -> Int? { configuration.tuning.sendsTransportFeedback ? id : nil }

    private func keeping(_ agreed: [PeerMedia.Choice], of remote: RemoteDescription) -> RemoteDescription {
        remote.keeping(agreed.map(\.payloadTypes), clockRates: agreed.map(\.codec.clockRate))
    }

    private func apply(_ choices: [PeerMedia.Choice], _ media: PeerMedia) async throws(MediaError) {
        var failure: MediaError?
        do throws(MediaError) { try await media.apply(choices, directions) } catch { failure = error }
        guard !isClosed else {
            // Closed meanwhile: the teardown does not know a track that was made after it started.
            for track in media.sending.values { await track.end() }
            outputs.leave(media)
            throw .closed
        }
        if let failure { throw failure }
        applyMeasurements()
        for track in directions.keys { applyMode(of: track) }

        if isReceiving { setReceiving(true) }
    }

    /// The maximum number of remote candidates in all, including those held until the remote description arrives.
    public static let maximumCandidates = 64

    /// Adds a candidate of the peer; one that arrives before the peer's description waits for it.
    ///
    /// A candidate with a name instead of an address is added when the name is looked up, or else passed over:
    /// ``PeerConnectionConfiguration/looksUpMulticastNames``.
    /// - Throws: ``MediaError/invalidCandidate(text:)`` for a malformed one, and for more than ``maximumCandidates``.
    public func addCandidate(_ candidate: IceCandidate) throws(MediaError) {
        guard !isClosed else { throw .closed }
        try candidate.check()
        candidateCount += 1
        guard candidateCount <= Self.maximumCandidates else {
            throw .invalidCandidate(text: "the peer sent more than \(Self.maximumCandidates)")
        }
        guard candidate.namesAddress else { return lookUp(candidate) }
        if candidate.isEnd, namedCandidates.holdEnd() { return }
        try take(candidate)
    }

    /// Adds a candidate of the peer when the name in it is looked up.
    private func lookUp(_ candidate: IceCandidate) {
        guard configuration.looksUpMulticastNames, configuration.iceTransportPolicy == .all,
            let lookup = namedCandidates.lookUp(candidate, configuration.lookUpName)
        else { return logger.debug("passed over a candidate with a name instead of an address") }
        // The connection may end while the name is looked up.
        Task { [weak self] in
            let found = await lookup.value
            await self?.take(named: found)
        }
    }

    private func take(named candidate: IceCandidate?) {
        if let candidate {
            // The connection may be closed by now.
            try? take(candidate)
        } else {
            logger.notice("no address for the name in a candidate; is libnss-mdns installed?")
        }
        if namedCandidates.finishOne() { try? take(.endOfCandidates) }
    }

    private func take(_ candidate: IceCandidate) throws(MediaError) {
        guard !isClosed else { throw .closed }
        guard let media, let remote else { return heldCandidates.append(candidate) }
        if let fragment = candidate.fragment, media.ice.hasRestarted {
            return media.ice.add(remoteCandidate: "a=\(candidate.candidate)", ofPeer: fragment)
        }
        guard let section = remote.section(ofMLine: candidate.mLine) else {
            throw .invalidCandidate(text: "there is no m-line \(candidate.mLine)")
        }
        media.add(candidate, toMLine: section)
    }

    private func setRemote(_ remote: RemoteDescription, on media: PeerMedia) async throws(MediaError) {
        self.remote = remote
        media.peer.routes.follow(remote.sections)
        media.peer.packetNumbers.setId(remote.sections.compactMap(\.transportSequenceId).first)
        try media.agree(with: remote)
        try await media.setRemote(remote.forWebrtcbin)
        checkCertificate()
        for candidate in heldCandidates {
            if let section = remote.section(ofMLine: candidate.mLine) { media.add(candidate, toMLine: section) }
        }
        heldCandidates = []
        let candidates = remote.sections.flatMap(\.candidates) + (remote.data?.candidates ?? [])
        for candidate in candidates where !candidate.namesAddress { lookUp(candidate) }
        if remote.sections.contains(where: \.hasAllCandidates), !namedCandidates.holdEnd() {
            media.add(.endOfCandidates, toMLine: 0)
        }
    }
}
