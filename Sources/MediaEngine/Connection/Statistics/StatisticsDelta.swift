/// The difference between two reports of one connection: rates instead of totals.
public struct StatisticsDelta: Sendable, Equatable, Codable {
    /// The received stream of one kind.
    public struct Inbound: Sendable, Equatable, Codable {
        /// `audio` or `video`.
        public var kind: String
        /// Without headers.
        public var kbitPerSecond = 0.0
        /// RTP packets.
        public var packetsReceived = 0
        /// RTP packets that did not arrive; those that arrived late after all are subtracted, but never below zero.
        public var packetsLost = 0
        /// The lost share of all packets that were sent, 0 to 1.
        public var fractionLost = 0.0
        /// The jitter at the end, in ms.
        public var jitterMs = 0.0
        /// How long packets waited in the jitter buffer on average, in ms; nil when none left it.
        public var jitterBufferMs: Double?
        /// For video: frames that arrived whole.
        public var framesPerSecond: Double?
        /// For video: how often it froze.
        public var freezeCount: Int?
        /// For video: how long it was frozen, in ms.
        public var totalFreezesDurationMs: Double?
        /// For video whose frames have marks: the time from the capture of the latest frame until it is shown, in ms.
        public var frameDelayMs: Double?
        /// In pixels, at the end.
        public var frameWidth: Int?
        /// In pixels, at the end.
        public var frameHeight: Int?
        /// For audio: the mean level, 0 for silence to 1; nil when nothing was decoded, or ``MediaMeasurement/level`` is not enabled.
        public var audioLevel: Double?

        /// Makes an empty entry of this kind.
        public init(kind: String) { self.kind = kind }
    }

    /// The sent stream of one kind.
    public struct Outbound: Sendable, Equatable, Codable {
        /// `audio` or `video`.
        public var kind: String
        /// Without headers.
        public var kbitPerSecond = 0.0
        /// The target bitrate of the encoder at the end, in bit/s.
        public var targetBitrate = 0
        /// RTP packets.
        public var packetsSent = 0
        /// For video: frames that went to the encoder.
        public var framesPerSecond: Double?
        /// In pixels, at the end.
        public var frameWidth: Int?
        /// In pixels, at the end.
        public var frameHeight: Int?
        /// The loss that the peer reported last, 0 to 1; nil before its first report.
        public var remoteFractionLost: Double?
        /// The jitter that the peer reported last, in ms; nil before its first report.
        public var remoteJitterMs: Double?

        /// Makes an empty entry of this kind.
        public init(kind: String) { self.kind = kind }
    }

    /// The time between the two reports, in s.
    public var seconds: Double
    /// What arrived, by kind.
    public var inbound: [Inbound] = []
    /// What was sent, by kind.
    public var outbound: [Outbound] = []
    /// The round-trip time that RTCP measured last, in ms; nil before the first.
    public var roundTripTimeMs: Double?

    /// Makes an empty difference.
    public init(seconds: Double) { self.seconds = seconds }
}

extension StatisticsReport {
    /// The difference from `earlier`, a report of the same call.
    ///
    /// A stream that is not in `earlier`, such as one of a replacement connection, counts from its start. A count that decreased, as that
    /// of losses can, counts as 0. Without time between the reports all rates are 0.
    public func delta(from earlier: StatisticsReport) -> StatisticsDelta {
        let now = transport?.timestamp ?? 0
        let seconds = max(0, now - (earlier.transport?.timestamp ?? now)) / 1_000
        var delta = StatisticsDelta(seconds: seconds)
        delta.roundTripTimeMs = candidatePair?.currentRoundTripTime.map { $0 * 1_000 }
        delta.inbound = inbound.map { entry in
            Self.delta(entry, earlier.inbound.first { $0.ssrc == entry.ssrc }, seconds)
        }
        delta.outbound = outbound.map { entry in
            var change = Self.delta(entry, earlier.outbound.first { $0.ssrc == entry.ssrc }, seconds)
            let remote = remoteInbound.first { $0.ssrc == entry.ssrc }
            change.remoteFractionLost = remote?.fractionLost
            change.remoteJitterMs = remote.map { $0.jitter * 1_000 }
            return change
        }
        return delta
    }

    private static func delta(
        _ entry: InboundRtp, _ earlier: InboundRtp?, _ seconds: Double
    ) -> StatisticsDelta.Inbound {
        var change = StatisticsDelta.Inbound(kind: entry.kind)
        change.packetsReceived = max(0, entry.packetsReceived - (earlier?.packetsReceived ?? 0))
        change.packetsLost = max(0, entry.packetsLost - (earlier?.packetsLost ?? 0))
        let sent = change.packetsReceived + change.packetsLost
        change.fractionLost = sent > 0 ? Double(change.packetsLost) / Double(sent) : 0
        change.kbitPerSecond = kbit(entry.bytesReceived, earlier?.bytesReceived, seconds)
        change.jitterMs = entry.jitter * 1_000
        let emitted = entry.jitterBufferEmittedCount - (earlier?.jitterBufferEmittedCount ?? 0)
        if emitted > 0 {
            let delay = max(0, entry.jitterBufferDelay - (earlier?.jitterBufferDelay ?? 0))
            change.jitterBufferMs = delay * 1_000 / Double(emitted)
        }
        change.framesPerSecond = rate(entry.framesReceived, earlier?.framesReceived, seconds)
        change.freezeCount = entry.freezeCount.map { max(0, $0 - (earlier?.freezeCount ?? 0)) }
        change.totalFreezesDurationMs = entry.totalFreezesDuration.map {
            max(0, $0 - (earlier?.totalFreezesDuration ?? 0)) * 1_000
        }
        change.frameDelayMs = entry.frameDelay.map { $0 * 1_000 }
        (change.frameWidth, change.frameHeight) = (entry.frameWidth, entry.frameHeight)
        if let energy = entry.totalAudioEnergy, let duration = entry.totalSamplesDuration {
            // As the specification defines it: the mean over the time between two reports.
            let heard = duration - (earlier?.totalSamplesDuration ?? 0)
            if heard > 0 {
                change.audioLevel = (max(0, energy - (earlier?.totalAudioEnergy ?? 0)) / heard).squareRoot()
            }
        }
        return change
    }

    private static func delta(
        _ entry: OutboundRtp, _ earlier: OutboundRtp?, _ seconds: Double
    ) -> StatisticsDelta.Outbound {
        var change = StatisticsDelta.Outbound(kind: entry.kind)
        change.packetsSent = max(0, entry.packetsSent - (earlier?.packetsSent ?? 0))
        change.kbitPerSecond = kbit(entry.bytesSent, earlier?.bytesSent, seconds)
        change.targetBitrate = entry.targetBitrate
        change.framesPerSecond = rate(entry.framesSent, earlier?.framesSent, seconds)
        (change.frameWidth, change.frameHeight) = (entry.frameWidth, entry.frameHeight)
        return change
    }

    private static func kbit(_ bytes: Int, _ earlier: Int?, _ seconds: Double) -> Double {
        seconds > 0 ? Double(max(0, bytes - (earlier ?? 0))) * 8 / 1_000 / seconds : 0
    }

    private static func rate(_ count: Int?, _ earlier: Int?, _ seconds: Double) -> Double? {
        guard let count else { return nil }
        return seconds > 0 ? Double(max(0, count - (earlier ?? 0))) / seconds : 0
    }
}
