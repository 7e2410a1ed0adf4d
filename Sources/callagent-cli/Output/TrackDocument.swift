internal import CallAgent
internal import MediaEngine

/// The media of one kind that one end of a call sent and received, as the program's JSON has it.
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
        video track: MediaReport.Track, number: Int = 1, _ entries: StatisticsReport,
        acceptedAt accepted: ContinuousClock.Instant?
    ) {
        let entries = entries.entries(of: .video(number))
        var sent = Sent(track.sent, entries)
        (sent.frameWidth, sent.frameHeight) = (track.sent.width, track.sent.height)
        if let entry = entries.outbound.first {
            sent.retransmittedPacketsSent = entry.retransmittedPacketsSent
            sent.targetBitrate = entry.targetBitrate
            sent.qualityLimitationDurationsMs =
                entry.qualityLimitationDurations.mapValues { ($0 * 1_000).rounded(toPlaces: 1) }
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
        let entry = entries.inbound.first
        received.retransmittedPacketsReceived = entry?.retransmittedPacketsReceived
        received.freezeCount = entry?.freezeCount
        received.totalFreezesDurationMs = entry?.totalFreezesDuration.map { ($0 * 1_000).rounded(toPlaces: 1) }
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
        audio track: MediaReport.Track, _ entries: StatisticsReport, acceptedAt accepted: ContinuousClock.Instant?,
        dtmf: String
    ) {
        let roundTrip = entries.remoteInbound.compactMap(\.roundTripTime).max()
        let entries = entries.entries(of: .audio)
        var sent = Sent(track.sent, entries)
        sent.toneHz = track.sent.frames > 0 ? track.sent.toneHz : nil
        var received = Received(track.received, entries)
        received.samples = track.received.decoded
        received.concealedMs = entries.inbound.first?.concealedSamples.map { (Double($0) / 48).rounded(toPlaces: 1) }
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
    private static func mosEstimate(_ entries: StatisticsReport, _ roundTrip: Double?) -> Double? {
        guard let entry = entries.inbound.first, entry.packetsReceived > 0, let roundTrip else { return nil }
        let emitted = entry.jitterBufferEmittedCount
        let waiting = emitted > 0 ? entry.jitterBufferDelay / Double(emitted) : 0
        let unplayed = max(0, entry.packetsLost) + entry.packetsDiscarded
        let score = MeanOpinionScore.estimate(
            delayMs: (roundTrip / 2 + waiting) * 1_000 + packetMs,
            lossPercent: lossPercent(unplayed, of: entry.packetsReceived + max(0, entry.packetsLost)))
        return score.rounded(toPlaces: 2)
    }

    /// What a packet of audio waits for until it is full.
    private static let packetMs = 20.0

    fileprivate static func kbitPerSecond(_ bytes: Int?, _ seconds: Double) -> Double {
        seconds > 0 ? (Double(bytes ?? 0) * 8 / 1_000 / seconds).rounded(toPlaces: 1) : 0
    }

    fileprivate static func lossPercent(_ lost: Int, of packets: Int) -> Double {
        packets > 0 ? (Double(max(0, lost)) / Double(packets) * 100).rounded(toPlaces: 2) : 0
    }
}

extension StatisticsReport {
    /// The entries of one track only.
    fileprivate func entries(of track: TrackID) -> StatisticsReport {
        var report = self
        report.outbound.removeAll { $0.codecId != track.codecId }
        report.inbound.removeAll { $0.codecId != track.codecId }
        let own = Set(report.outbound.map(\.id))
        report.remoteInbound.removeAll { !own.contains($0.localId) }
        return report
    }
}

extension TrackDocument.Sent {
    fileprivate init(_ sent: MediaReport.Sent, _ entries: StatisticsReport) {
        let (entry, remote) = (entries.outbound.first, entries.remoteInbound.first)
        let packets = entry?.packetsSent ?? 0
        self.init(
            codec: sent.codec, kbitPerSecond: TrackDocument.kbitPerSecond(entry?.bytesSent, sent.seconds),
            packetsSent: packets, packetsLost: remote?.packetsLost,
            lossPercent: remote.map { TrackDocument.lossPercent($0.packetsLost, of: packets) },
            jitterMs: remote.map { ($0.jitter * 1_000).rounded(toPlaces: 2) },
            roundTripTimeMs: remote?.roundTripTime.map { ($0 * 1_000).rounded(toPlaces: 2) })
    }
}

extension TrackDocument.Received {
    fileprivate init(_ received: MediaReport.Received, _ entries: StatisticsReport) {
        let entry = entries.inbound.first
        let (arrived, lost) = (entry?.packetsReceived ?? 0, entry?.packetsLost ?? 0)
        self.init(
            codec: received.codec,
            kbitPerSecond: TrackDocument.kbitPerSecond(entry?.bytesReceived, received.seconds),
            packetsReceived: arrived, packetsLost: arrived > 0 ? lost : nil,
            lossPercent: arrived > 0 ? TrackDocument.lossPercent(lost, of: arrived + lost) : nil,
            jitterMs: arrived > 0 ? entry.map { ($0.jitter * 1_000).rounded(toPlaces: 2) } : nil)
        rtpPacketsWhileOff = received.broken.packetsWhileOff
        aboveMaxRateMs = received.aboveMaxRateMs
        rtpPacketsWhileHeld = received.broken.packetsWhileHeld
    }
}
