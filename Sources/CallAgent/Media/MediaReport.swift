public import MediaEngine

/// What the media of a call sent and received.
public struct MediaReport: Sendable, Equatable {
    /// What was sent of one medium.
    public struct Sent: Sendable, Equatable {
        /// Its name in SDP, such as `VP8`.
        public var codec: String
        /// In pixels; nil for audio.
        public var width: Int?
        /// In pixels; nil for audio.
        public var height: Int?
        /// Raw frames, or buffers of audio, that left the send gate.
        public var frames: Int
        /// Frames that were thrown away in front of a slow encoder; nil for audio.
        public var framesDropped: Int?
        /// How often the size of the frames changed.
        public var frameSizeChanges = 0
        /// How long ago the first frame or buffer was sent, in s; 0 before.
        ///
        /// It is the time that rates are taken over.
        public var seconds = 0.0
        /// The pitch of the source in Hz, when it is a tone.
        public var toneHz: Double?

        /// Makes a record.
        public init(codec: String, width: Int? = nil, height: Int? = nil, frames: Int = 0, toneHz: Double? = nil) {
            self.codec = codec
            self.width = width
            self.height = height
            self.frames = frames
            self.toneHz = toneHz
        }
    }

    /// What was received of one medium.
    public struct Received: Sendable, Equatable {
        /// Its name in SDP, such as `OPUS`.
        public var codec: String
        /// In pixels; nil for audio and before the first frame.
        public var width: Int?
        /// In pixels; nil for audio and before the first frame.
        public var height: Int?
        /// Decoded frames, or decoded samples per channel.
        public var decoded = 0
        /// Frames that arrived whole; nil for audio.
        public var framesReceived: Int?
        /// Those of them that can be decoded alone; nil for audio.
        public var keyFramesReceived: Int?
        /// Frames that arrived whole and were to be decoded, but were not; nil for audio.
        public var framesDropped: Int?
        /// How often the size of the frames changed.
        public var frameSizeChanges = 0
        /// How long ago the first packet arrived, in s; 0 before.
        ///
        /// It is the time that rates are taken over.
        public var seconds = 0.0
        /// Frames that differ from the one before them; nil for audio, and unless ``MediaConfiguration/measurements`` has it.
        public var distinctFrames: Int?
        /// How well the video arrived; nil for audio.
        public var quality: VideoQuality?
        /// How well audio that ticks arrived; nil for video, other audio, and unless ``MediaConfiguration/measurements`` has it.
        public var audioQuality: AudioQuality?
        /// How much the speech of the source `speech` changed on its way; nil for other audio, and unless ``MediaConfiguration/measurements`` has it.
        public var speechQuality: SpeechQuality?
        /// The pitch measured in the decoded samples, in Hz; nil while there is no clear tone, and unless ``MediaConfiguration/measurements`` has it.
        public var toneHz: Double?
        /// The duration of the decoded samples that were cut at full scale, in ms; nil for video, and unless ``MediaConfiguration/measurements`` has
        /// the level.
        public var clippedMs: Double?
        /// Frames, or buffers of audio, that left the receive gate.
        public var shown = 0
        /// Those of ``shown`` that left before the gates were opened: 0 unless something is wrong.
        public var shownBeforeOpening = 0
        /// For how long more arrived than ``MediaConfiguration/maxReceiveVideoKbit`` or ``MediaConfiguration/maxReceiveAudioKbit`` allows, in ms; 0 without a limit.
        public var aboveMaxRateMs = 0
        /// What arrived that is not as the peer had reported.
        ///
        /// All is 0 unless something is wrong; a dark or quiet place is black or silent, too.
        ///
        /// Of all connections of the call.
        public var broken = BrokenAnnouncements()
        /// When the first RTP packets arrived; a few thousand at most.
        public var arrivals: [ContinuousClock.Instant] = []

        /// Makes an empty record.
        public init(codec: String) { self.codec = codec }

        /// How many of the first RTP packets arrived before `instant`.
        public func arrivals(before instant: ContinuousClock.Instant) -> Int { arrivals.count { $0 < instant } }
    }

    /// Both directions of one medium.
    public struct Track: Sendable, Equatable {
        /// What was sent.
        public var sent: Sent
        /// What was received.
        public var received: Received

        /// Makes a pair.
        public init(sent: Sent, received: Received) {
            self.sent = sent
            self.received = received
        }
    }

    /// The connection itself.
    public struct Transport: Sendable, Equatable {
        /// The candidate pair that carries packets; nil before there is one.
        public var selectedPair: IceCandidatePair?
        /// Since when it does.
        public var selectedPairSince: ContinuousClock.Instant?
        /// How often another pair was selected, the first one included.
        public var selectedPairChanges = 0
        /// The last round trip time that RTCP measured, in ms.
        public var roundTripMs: Double?
        /// What the path takes of video by this end's estimate, in bit/s with all headers; nil before the peer has reported on packets.
        public var availableOutgoingBitrate: Double?
        /// What the path takes of the peer's video by this end's estimate, in bit/s with all headers.
        ///
        /// Nil unless the peer takes estimates (REMB) and no reports on its packets, and says when it sends them; also before half a second of its video.
        public var availableIncomingBitrate: Double?
        /// RTP packets of the peer that did not arrive.
        public var packetsLost = 0
        /// RTP bytes.
        public var bytesSent = 0
        /// RTP bytes.
        public var bytesReceived = 0

        /// Makes an empty record.
        public init() {}
    }

    /// Nil when the call has no video, or nothing was negotiated.
    public var video: Track?
    /// Further videos by number, from 2 on (``MediaConfiguration/additionalVideos``); what was broken is counted with ``video``.
    public var additionalVideos: [Int: Track] = [:]
    /// Nil when the call has no audio, or nothing was negotiated.
    public var audio: Track?
    /// All videos by number.
    public var videos: [Int: Track] { additionalVideos.merging(video.map { [1: $0] } ?? [:]) { $1 } }
    /// The connection itself.
    public var transport = Transport()
    /// The same and more, with W3C's names; of the present connection only.
    public var rtcStatistics = StatisticsReport()
    /// Those of the connections that others replaced during the call, the oldest first.
    public var formerStatistics: [StatisticsReport] = []

    /// Makes an empty report.
    public init() {}
}

extension MediaReport {
    /// This report, with the counts of the connection that this one replaced.
    ///
    /// Sizes, codecs, the round trip and ``rtcStatistics`` are those of this connection, and so are distributions, if it measured them.
    func continuing(_ former: MediaReport) -> MediaReport {
        var total = self
        total.video = video?.continuing(former.video) ?? former.video
        total.audio = audio?.continuing(former.audio) ?? former.audio
        total.additionalVideos.merge(former.additionalVideos) { present, former in present.continuing(former) }
        let replaced = former.rtcStatistics == StatisticsReport() ? [] : [former.rtcStatistics]
        total.formerStatistics = former.formerStatistics + replaced + formerStatistics
        total.transport.selectedPairChanges += former.transport.selectedPairChanges
        total.transport.packetsLost += former.transport.packetsLost
        total.transport.bytesSent += former.transport.bytesSent
        total.transport.bytesReceived += former.transport.bytesReceived
        return total
    }
}

extension MediaReport.Track {
    fileprivate func continuing(_ former: Self?) -> Self {
        guard let former else { return self }
        return Self(sent: sent.continuing(former.sent), received: received.continuing(former.received))
    }
}

extension MediaReport.Sent {
    fileprivate func continuing(_ former: Self) -> Self {
        var total = self
        total.frames += former.frames
        total.framesDropped.add(former.framesDropped)
        total.seconds += former.seconds
        return total
    }
}

extension MediaReport.Received {
    fileprivate func continuing(_ former: Self) -> Self {
        var total = self
        total.decoded += former.decoded
        total.framesReceived.add(former.framesReceived)
        total.keyFramesReceived.add(former.keyFramesReceived)
        total.framesDropped.add(former.framesDropped)
        total.distinctFrames.add(former.distinctFrames)
        total.seconds += former.seconds
        if let former = former.clippedMs { total.clippedMs = (clippedMs ?? 0) + former }
        total.shown += former.shown
        total.aboveMaxRateMs += former.aboveMaxRateMs
        total.shownBeforeOpening += former.shownBeforeOpening
        total.arrivals = Array((former.arrivals + arrivals).prefix(PeerStatistics.Received.maximumArrivals))
        total.quality = quality?.continuing(former.quality) ?? former.quality
        total.audioQuality = audioQuality?.continuing(former.audioQuality) ?? former.audioQuality
        total.speechQuality = speechQuality?.continuing(former.speechQuality) ?? former.speechQuality
        return total
    }
}

extension VideoQuality {
    fileprivate func continuing(_ former: Self?) -> Self {
        guard let former else { return self }
        var total = self
        total.longestFreezeMs = max(longestFreezeMs, former.longestFreezeMs)
        total.longestStillMs = [longestStillMs, former.longestStillMs].compactMap(\.self).max()
        total.framesMarked.add(former.framesMarked)
        total.framesMissing.add(former.framesMissing)
        total.framesRepeated.add(former.framesRepeated)
        total.framesReordered.add(former.framesReordered)
        total.delayMs = delayMs ?? former.delayMs
        total.psnrDb = psnrDb ?? former.psnrDb
        total.ssim = ssim ?? former.ssim
        return total
    }
}

extension AudioQuality {
    fileprivate func continuing(_ former: Self?) -> Self {
        guard let former else { return self }
        var total = self
        total.ticks += former.ticks
        total.gapCount += former.gapCount
        total.totalGapsMs += former.totalGapsMs
        total.longestGapMs = max(longestGapMs, former.longestGapMs)
        total.clickCount += former.clickCount
        total.delayMs = delayMs ?? former.delayMs
        total.videoOffsetMs = videoOffsetMs ?? former.videoOffsetMs
        return total
    }
}

extension SpeechQuality {
    fileprivate func continuing(_ former: Self?) -> Self {
        guard let former else { return self }
        var total = self
        total.syllables += former.syllables
        total.spectralDistanceDb = spectralDistanceDb ?? former.spectralDistanceDb
        return total
    }
}

extension Int? {
    fileprivate mutating func add(_ former: Int?) {
        if let former { self = (self ?? 0) + former }
    }
}
