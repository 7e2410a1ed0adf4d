internal import CallAgent
internal import MediaEngine

/// The media of one kind that one end of a call sent and received, on all its connections, as the program's JSON has it.
struct TrackDocument: Codable {
    /// Loss, jitter and round trip are what the peer reported last; nil before its first report.
    struct Sent: Codable {
        let codec: String
        let kbitPerSecond: Double
        let packetsSent: Int
        var packetsLost: Int?
        var lossPercent: Double?
        var jitterMs: Double?
        var roundTripTimeMs: Double?
        var frameWidth: Int?
        var frameHeight: Int?
        var retransmittedPacketsSent: Int?
        /// In bit/s.
        var targetBitrate: Int?
        var qualityLimitationDurationsMs: [String: Double]?
        var framesSent: Int?
        var framesDropped: Int?
        var frameSizeChanges: Int?
        var toneHz: Double?
    }

    struct Received: Codable {
        let codec: String
        let kbitPerSecond: Double
        let packetsReceived: Int
        /// Nil while nothing has arrived, as the next two.
        var packetsLost: Int?
        var lossPercent: Double?
        var jitterMs: Double?
        var frameWidth: Int?
        var frameHeight: Int?
        var retransmittedPacketsReceived: Int?
        var framesReceived: Int?
        var keyFramesReceived: Int?
        var framesDecoded: Int?
        var framesDropped: Int?
        var frameSizeChanges: Int?
        var distinctFrames: Int?
        var freezeCount: Int?
        var totalFreezesDurationMs: Double?
        var quality: Quality?
        var shownBeforeConnected: Int?
        var samples: Int?
        var concealedMs: Double?
        var speech: SpeechQuality?
        var toneHz: Double?
        var heardBeforeConnected: Int?
        var rtpPacketsBeforeAccept: Int?
        var mosEstimate: Double?
        var framesWhileMuted: Int?
        var audibleMsWhileMuted: Double?
        var blackFrames: Int?
        var silentMs: Double?
        var clippedMs: Double?
        var rtpPacketsWhileOff: Int?
        var rtpPacketsWhileHeld: Int?
        var aboveMaxRateMs: Int?
        var dtmf: String?
    }

    /// That of the kind.
    enum Quality: Codable {
        case video(VideoQuality)
        case audio(AudioQuality)

        var ofVideo: VideoQuality? { if case .video(let quality) = self { quality } else { nil } }

        init(from decoder: any Decoder) throws {
            if let quality = try? VideoQuality(from: decoder) {
                self = .video(quality)
            } else {
                self = .audio(try AudioQuality(from: decoder))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .video(let quality): try quality.encode(to: encoder)
            case .audio(let quality): try quality.encode(to: encoder)
            }
        }
    }

    let sent: Sent
    let received: Received

    /// `number` is that of one of several videos.
    init(
        video track: MediaReport.Track, number: Int = 1, in report: MediaReport,
        acceptedAt accepted: ContinuousClock.Instant?
    ) {
        let entries = TrackEntries(of: .video(number), in: report)
        var sent = Sent(track.sent, entries)
        (sent.frameWidth, sent.frameHeight) = (track.sent.width, track.sent.height)
        if let entry = entries.outbound.last {
            sent.retransmittedPacketsSent = entries.outbound.sum(\.retransmittedPacketsSent)
            sent.targetBitrate = entry.targetBitrate
            sent.qualityLimitationDurationsMs = entries.outbound.map(\.qualityLimitationDurations)
                .reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
                .mapValues { ($0 * 1_000).rounded(toPlaces: 1) }
        }
        sent.framesSent = track.sent.frames
        sent.framesDropped = track.sent.framesDropped
        sent.frameSizeChanges = track.sent.frameSizeChanges
        var received = Received(track.received, entries)
        (received.frameWidth, received.frameHeight) = (track.received.width, track.received.height)
        received.framesReceived = track.received.framesReceived
        received.keyFramesReceived = track.received.keyFramesReceived
        received.framesDecoded = track.received.decoded
        received.framesDropped = track.received.framesDropped
        received.frameSizeChanges = track.received.frameSizeChanges
        received.distinctFrames = track.received.distinctFrames ?? 0
        let inbound = entries.inbound
        if !inbound.isEmpty { received.retransmittedPacketsReceived = inbound.sum(\.retransmittedPacketsReceived) }
        received.freezeCount = inbound.known(\.freezeCount)
        received.totalFreezesDurationMs = inbound.known(\.totalFreezesDuration).map {
            ($0 * 1_000).rounded(toPlaces: 1)
        }
        received.quality = track.received.quality.map { quality in
            var quality = quality
            quality.longestFreezeMs = quality.longestFreezeMs.rounded(toPlaces: 1)
            quality.longestStillMs = quality.longestStillMs?.rounded(toPlaces: 1)
            quality.playoutDelayMs = quality.playoutDelayMs.rounded(toPlaces: 1)
            return .video(quality)
        }
        received.shownBeforeConnected = track.received.shownBeforeOpening
        received.rtpPacketsBeforeAccept = accepted.map { track.received.arrivals(before: $0) }
        received.framesWhileMuted = track.received.broken.framesWhileMuted
        received.blackFrames = track.received.broken.blackFrames
        (self.sent, self.received) = (sent, received)
    }

    init(
        audio track: MediaReport.Track, in report: MediaReport, acceptedAt accepted: ContinuousClock.Instant?,
        dtmf: String
    ) {
        let roundTrip = report.rtcStatistics.remoteInbound.compactMap(\.roundTripTime).max()
        let entries = TrackEntries(of: .audio, in: report)
        var sent = Sent(track.sent, entries)
        sent.toneHz = track.sent.frames > 0 ? track.sent.toneHz : nil
        var received = Received(track.received, entries)
        received.samples = track.received.decoded
        received.concealedMs = entries.inbound.known(\.concealedSamples).map { (Double($0) / 48).rounded(toPlaces: 1) }
        received.quality = track.received.audioQuality.map { quality in
            var quality = quality
            quality.totalGapsMs = quality.totalGapsMs.rounded(toPlaces: 1)
            quality.longestGapMs = quality.longestGapMs.rounded(toPlaces: 1)
            return .audio(quality)
        }
        received.speech = track.received.speechQuality
        received.toneHz = track.received.toneHz?.rounded(toPlaces: 2)
        received.heardBeforeConnected = track.received.shownBeforeOpening
        received.rtpPacketsBeforeAccept = accepted.map { track.received.arrivals(before: $0) }
        received.mosEstimate = Self.mosEstimate(entries, roundTrip)
        received.audibleMsWhileMuted = track.received.broken.audibleMsWhileMuted?.rounded(toPlaces: 1)
        received.silentMs = track.received.broken.silentMs?.rounded(toPlaces: 1)
        received.clippedMs = track.received.clippedMs?.rounded(toPlaces: 1)
        received.dtmf = dtmf.isEmpty ? nil : dtmf
        (self.sent, self.received) = (sent, received)
    }

    /// How people would rate the received audio; nil before the round trip is known, and without audio.
    private static func mosEstimate(_ entries: TrackEntries, _ roundTrip: Double?) -> Double? {
        let inbound = entries.inbound
        let (arrived, lost) = (inbound.sum(\.packetsReceived), inbound.sum { max(0, $0.packetsLost) })
        guard arrived > 0, let roundTrip else { return nil }
        let emitted = inbound.sum(\.jitterBufferEmittedCount)
        let waiting = emitted > 0 ? inbound.sum(\.jitterBufferDelay) / Double(emitted) : 0
        let score = MeanOpinionScore.estimate(
            delayMs: (roundTrip / 2 + waiting) * 1_000 + packetMs,
            lossPercent: lossPercent(lost + inbound.sum(\.packetsDiscarded), of: arrived + lost))
        return score.rounded(toPlaces: 2)
    }

    /// What a packet of audio waits for until it is full.
    private static let packetMs = 20.0

    fileprivate static func kbitPerSecond(_ bytes: Int, _ seconds: Double) -> Double {
        seconds > 0 ? (Double(bytes) * 8 / 1_000 / seconds).rounded(toPlaces: 1) : 0
    }

    fileprivate static func lossPercent(_ lost: Int, of packets: Int) -> Double {
        packets > 0 ? (Double(max(0, lost)) / Double(packets) * 100).rounded(toPlaces: 2) : 0
    }
}

/// W3C's entries about one track, one of each connection of the call, the latest last.
private struct TrackEntries {
    private(set) var outbound: [StatisticsReport.OutboundRtp] = []
    private(set) var inbound: [StatisticsReport.InboundRtp] = []
    private(set) var remoteInbound: [StatisticsReport.RemoteInboundRtp] = []

    init(of track: TrackID, in report: MediaReport) {
        for report in report.formerStatistics + [report.rtcStatistics] {
            if let entry = report.inbound.first(where: { $0.codecId == track.codecId }) { inbound.append(entry) }
            guard let entry = report.outbound.first(where: { $0.codecId == track.codecId }) else { continue }
            outbound.append(entry)
            remoteInbound += report.remoteInbound.filter { $0.localId == entry.id }.prefix(1)
        }
    }
}

extension [StatisticsReport.InboundRtp] {
    /// The sum over the connections that know it; nil if none does.
    fileprivate func known<Number: AdditiveArithmetic>(_ value: (Element) -> Number?) -> Number? {
        let known = compactMap(value)
        return known.isEmpty ? nil : known.reduce(.zero, +)
    }
}

extension Array {
    fileprivate func sum<Number: AdditiveArithmetic>(_ value: (Element) -> Number) -> Number {
        reduce(.zero) { $0 + value($1) }
    }
}

extension TrackDocument.Sent {
    fileprivate init(_ sent: MediaReport.Sent, _ entries: TrackEntries) {
        let (packets, reports) = (entries.outbound.sum(\.packetsSent), entries.remoteInbound)
        let (latest, lost) = (reports.last, reports.sum(\.packetsLost))
        self.init(
            codec: sent.codec,
            kbitPerSecond: TrackDocument.kbitPerSecond(entries.outbound.sum(\.bytesSent), sent.seconds),
            packetsSent: packets, packetsLost: reports.isEmpty ? nil : lost,
            lossPercent: reports.isEmpty ? nil : TrackDocument.lossPercent(lost, of: packets),
            jitterMs: latest.map { ($0.jitter * 1_000).rounded(toPlaces: 2) },
            roundTripTimeMs: latest?.roundTripTime.map { ($0 * 1_000).rounded(toPlaces: 2) })
    }
}

extension TrackDocument.Received {
    fileprivate init(_ received: MediaReport.Received, _ entries: TrackEntries) {
        let inbound = entries.inbound
        let (arrived, lost) = (inbound.sum(\.packetsReceived), inbound.sum(\.packetsLost))
        self.init(
            codec: received.codec,
            kbitPerSecond: TrackDocument.kbitPerSecond(inbound.sum(\.bytesReceived), received.seconds),
            packetsReceived: arrived, packetsLost: arrived > 0 ? lost : nil,
            lossPercent: arrived > 0 ? TrackDocument.lossPercent(lost, of: arrived + lost) : nil,
            jitterMs: arrived > 0 ? inbound.last.map { ($0.jitter * 1_000).rounded(toPlaces: 2) } : nil)
        rtpPacketsWhileOff = received.broken.packetsWhileOff
        aboveMaxRateMs = received.aboveMaxRateMs
        rtpPacketsWhileHeld = received.broken.packetsWhileHeld
    }
}
