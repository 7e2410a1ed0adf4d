extension StatisticsReport {
    /// What the engine knows about a stream and its session does not.
    struct Stream: Sendable {
        let track: TrackID
        let codec: Codec
        let payloadType: Int
        /// A smaller version of a video that is sent, too; nil: the largest one, or the only one.
        var encoding: PeerStatistics.Sent.Encoding?
        /// The peer's latest report on a sent stream.
        var reception: ReceptionReports.Stream?
        var kind: MediaKind { track.kind }
        var codecId: String { track.codecId }
    }

    /// Puts the statistics of a session and of its media under W3C's names; streams are identified by their SSRC.
    init(
        _ session: RtpSessionStatistics, timestamp: Double, sent: [UInt32: Stream], received: [UInt32: Stream],
        _ statistics: PeerStatistics
    ) {
        self.init()
        let streams = Dictionary(sent.values.map { ($0.track, $0) }) { first, _ in first }
        codecs = streams.values.sorted { $0.track < $1.track }.map {
            CodecEntry(
                timestamp: timestamp, id: $0.codecId, payloadType: $0.payloadType,
                mimeType: "\($0.kind.rawValue)/\($0.codec.encodingName)", clockRate: $0.codec.clockRate)
        }
        var transport = Transport(timestamp: timestamp)
        // Those of the first video come before those of the others.
        let known = sent.merging(received) { first, _ in first }
        let order = known.map { (track: $1.track, ssrc: $0) }.sorted { ($0.track, $0.ssrc) < ($1.track, $1.ssrc) }
        for ssrc in order.map(\.ssrc) {
            guard let source = session.sources[ssrc] else { continue }
            if source.isSent, let stream = sent[ssrc] {
                outbound.append(OutboundRtp(source, ssrc, stream, timestamp, statistics.sent[stream.track]))
            } else if !source.isSent, let stream = received[ssrc] {
                inbound.append(InboundRtp(source, ssrc, stream, timestamp, statistics.received[stream.track]))
            }
        }
        // The largest version of a video comes first.
        let versions = outbound.filter { sent[$0.ssrc]?.encoding != nil }
        outbound.removeAll { sent[$0.ssrc]?.encoding != nil }
        outbound += versions.sorted { ($0.frameWidth ?? 0) > ($1.frameWidth ?? 0) }
        // The session keeps the last block of each report only (``ReceptionReports``).
        remoteInbound = sent.sorted { $0.key < $1.key }.compactMap { ssrc, stream in
            stream.reception.map {
                RemoteInboundRtp($0, ssrc, stream, statistics.transport.roundTripMs, timestamp)
            }
        }
        for index in outbound.indices {
            let ssrc = outbound[index].ssrc
            outbound[index].remoteId = remoteInbound.first { $0.ssrc == ssrc }?.id
        }
        transport.bytesSent = outbound.map(\.bytesSent).reduce(0, +)
        transport.bytesReceived = inbound.map(\.bytesReceived).reduce(0, +)
        if let selected = statistics.transport.selectedPair {
            candidates = [
                Candidate(selected.local, side: "local", timestamp),
                Candidate(selected.remote, side: "remote", timestamp),
            ]
            var pair = CandidatePair(timestamp: timestamp)
            pair.currentRoundTripTime = remoteInbound.compactMap(\.roundTripTime).first
            pair.availableOutgoingBitrate = statistics.transport.availableOutgoingBitrate
            pair.availableIncomingBitrate = statistics.transport.availableIncomingBitrate
            candidatePair = pair
            transport.selectedCandidatePairId = pair.id
            transport.selectedCandidatePairChanges = statistics.transport.selectedPairChanges
            transport.selectedCandidatePairChanged = statistics.transport.selectedPairSince.map {
                timestamp - (ContinuousClock.now - $0) / .milliseconds(1)
            }
        }
        self.transport = transport
    }
}

extension StatisticsReport.InboundRtp {
    fileprivate init(
        _ source: RtpSessionStatistics.Source, _ ssrc: UInt32, _ stream: StatisticsReport.Stream, _ timestamp: Double,
        _ received: PeerStatistics.Received?
    ) {
        self.init(
            timestamp: timestamp, id: "inbound-\(ssrc)", ssrc: ssrc, kind: stream.kind.rawValue, codecId: stream.codecId
        )
        packetsReceived = source.packets
        packetsLost = received?.packetsLost ?? 0
        packetsDiscarded = received?.packetsDiscarded ?? 0
        retransmittedPacketsReceived = received?.packetsRepaired ?? 0
        bytesReceived = source.bytes
        jitter = source.jitter
        firCount = source.firs
        pliCount = source.plis
        nackCount = source.nacks
        if stream.kind == .audio { totalSamplesReceived = received?.decoded } else { framesDecoded = received?.decoded }
        framesReceived = received?.framesReceived
        keyFramesReceived = received?.keyFramesReceived
        framesDropped = received?.framesDropped
        frameWidth = received?.width
        frameHeight = received?.height
        framesPerSecond = received?.framesPerSecond
        freezeCount = received?.freezes
        totalFreezesDuration = received?.frozenSeconds
        frameDelay = received?.frameDelayMs.map { $0 / 1_000 }
        concealedSamples = received?.concealedSamples
        audioLevel = received?.audioLevel
        totalAudioEnergy = received?.audioEnergy
        totalSamplesDuration = received?.measuredSeconds
        jitterBufferDelay = received?.jitterBufferSeconds ?? 0
        jitterBufferEmittedCount = received?.jitterBufferPackets ?? 0
    }
}

extension StatisticsReport.OutboundRtp {
    fileprivate init(
        _ source: RtpSessionStatistics.Source, _ ssrc: UInt32, _ stream: StatisticsReport.Stream, _ timestamp: Double,
        _ sent: PeerStatistics.Sent?
    ) {
        self.init(
            timestamp: timestamp, id: "outbound-\(ssrc)", ssrc: ssrc, kind: stream.kind.rawValue,
            codecId: stream.codecId)
        packetsSent = source.packets
        bytesSent = source.bytes
        firCount = source.firs
        pliCount = source.plis
        nackCount = source.nacks
        retransmittedPacketsSent = sent?.packetsRetransmitted ?? 0
        targetBitrate = sent?.targetBitrate ?? 0
        if let sent, stream.kind == .video {
            if sent.isLimitedByCPU { qualityLimitationReason = "cpu" }
            if sent.isLimitedByBandwidth { qualityLimitationReason = "bandwidth" }
            let limited = sent.limitedByBandwidthSeconds
            let slow = sent.limitedByCPUSeconds
            qualityLimitationDurations = [
                "bandwidth": limited, "cpu": slow, "none": max(0, sent.seconds - limited - slow),
            ]
        }
        if stream.kind == .video { framesSent = sent?.frames }
        frameWidth = sent?.width
        frameHeight = sent?.height
        guard let encoding = stream.encoding else { return }
        // Those that are sent again are counted with the largest version.
        (framesSent, retransmittedPacketsSent) = (encoding.frames, 0)
        (frameWidth, frameHeight, targetBitrate) = (encoding.width, encoding.height, encoding.targetBitrate)
    }
}

extension StatisticsReport.RemoteInboundRtp {
    fileprivate init(
        _ reception: ReceptionReports.Stream, _ ssrc: UInt32, _ stream: StatisticsReport.Stream, _ roundTripMs: Double?,
        _ timestamp: Double
    ) {
        self.init(
            timestamp: timestamp, id: "remote-inbound-\(ssrc)", ssrc: ssrc, kind: stream.kind.rawValue,
            localId: "outbound-\(ssrc)")
        packetsLost = max(0, reception.latest.lost)
        fractionLost = reception.fractionLost
        jitter = Double(reception.latest.jitter) / Double(stream.codec.clockRate)
        roundTripTime = roundTripMs.map { $0 / 1_000 }
    }
}

extension StatisticsReport.Candidate {
    fileprivate init(_ candidate: IceCandidatePair.Candidate, side: String, _ timestamp: Double) {
        self.init(
            timestamp: timestamp, type: "\(side)-candidate", id: "\(side)-candidate", address: candidate.address,
            port: candidate.port, protocol: candidate.transport.rawValue,
            relayProtocol: candidate.relayProtocol?.rawValue, candidateType: candidate.type.rawValue,
            priority: candidate.priority)
    }
}
