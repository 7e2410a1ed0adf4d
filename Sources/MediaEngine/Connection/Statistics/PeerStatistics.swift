/// What a peer connection has sent and received so far.
public struct PeerStatistics: Sendable, Equatable {
    /// The statistics of one sent track; of a simulcast those of the largest version.
    public struct Sent: Sendable, Equatable {
        /// The codec.
        public var codec: Codec
        /// The size of the frames, in pixels; nil for audio and before the first one.
        public var width: Int?
        /// See ``width``.
        public var height: Int?
        /// How many raw frames or audio buffers passed the send gate; with a shared encoder encoded frames or packets.
        public var frames: Int
        /// The pitch of the source in Hz, when it is a tone.
        public var toneHz: Double?
        /// Frames that were dropped because the encoder was too slow; nil for audio.
        public var framesDropped: Int?
        /// Packets that were sent again, because the peer missed them; the first video counts those of all videos and of their versions.
        public var packetsRetransmitted = 0
        /// The rate that the encoder is set to, in bit/s.
        public var targetBitrate = 0
        /// Whether the bandwidth of the path keeps the rate below the one that was requested.
        public var isLimitedByBandwidth = false
        /// How long it did, in s.
        public var limitedByBandwidthSeconds = 0.0
        /// Whether fewer or smaller frames than captured are sent because the encoder was too slow for all of them.
        public var isLimitedByCPU = false
        /// How long only that limited the video, in s.
        public var limitedByCPUSeconds = 0.0
        /// Whether one encoder makes this and other tracks (``TrackConfiguration/sharesEncoder``).
        public var sharesEncoder = false
        /// The smaller versions that are sent, too, largest first (``TrackConfiguration/simulcastScales``).
        public var encodings: [Encoding] = []
        /// How long ago the first frame or buffer passed the send gate, in s; 0 before.
        public var seconds = 0.0

        /// The statistics of a smaller version of a video.
        public struct Encoding: Sendable, Equatable {
            /// The size of the frames, in pixels; nil before the first one.
            public var width: Int?
            /// See ``width``.
            public var height: Int?
            /// How many frames were encoded.
            public var frames: Int
            /// The rate that the encoder is set to, in bit/s.
            public var targetBitrate: Int
        }
    }

    /// The statistics of one received track.
    public struct Received: Sendable, Equatable {
        /// The codec.
        public var codec: Codec
        /// The size of the decoded frames, in pixels; nil for audio and before the first one.
        public var width: Int?
        /// See ``width``.
        public var height: Int?
        /// How many frames were decoded, or samples (per channel, at ``sampleRate``).
        public var decoded = 0
        /// Frames that arrived whole; nil for audio.
        public var framesReceived: Int?
        /// Those of them that can be decoded alone; nil for audio.
        public var keyFramesReceived: Int?
        /// Frames that arrived whole and were to be decoded, but were not; nil for audio.
        ///
        /// The latest frame does not count: its decoding may not be over.
        public var framesDropped: Int?
        /// How long ago the first packet left the jitter buffer, in s; 0 before.
        public var seconds = 0.0
        /// How many frames differ from the one before them; nil for audio, and unless ``MediaMeasurement/distinctFrames`` is enabled.
        public var distinctFrames: Int?
        /// Samples per second, in Hz; nil for video and before the first audio.
        public var sampleRate: Int?
        /// The pitch of the decoded samples, in Hz; nil for video, without a clear tone, and unless ``MediaMeasurement/pitch`` is enabled.
        public var toneHz: Double?
        /// Frames per second, over the last 30, including those that ``PeerConnectionConfiguration/decoding`` leaves out; 0 when none arrived for a second; nil for audio and before the second one.
        public var framesPerSecond: Double?
        /// How often the video froze; nil for audio.
        public var freezes: Int?
        /// How long it was frozen, in s; nil for audio.
        public var frozenSeconds: Double?
        /// How well the video arrived; nil for audio.
        public var quality: VideoQuality?
        /// The time from the capture of the latest frame until it is shown, in ms; nil for audio, and where ``VideoQuality/delayMs`` is.
        public var frameDelayMs: Double?
        /// How well audio that ticks arrived; nil for video, other audio, and unless ``MediaMeasurement/audioTicks`` is enabled.
        public var audioQuality: AudioQuality?
        /// How much speech changed on its way; nil for video, other audio, and unless ``MediaMeasurement/speech`` is enabled.
        public var speechQuality: SpeechQuality?
        /// Samples that the decoder made up for lost packets, of one channel; nil for video, and for codecs that conceal nothing: all but Opus.
        public var concealedSamples: Int?
        /// The level of the last 100 ms of decoded audio, 0 to 1; nil for video, before that, and unless ``MediaMeasurement/level`` is enabled.
        public var audioLevel: Double?
        /// The sum of the squares of the level over time, in s; nil as ``audioLevel``.
        public var audioEnergy: Double?
        /// The duration of the audio that ``audioEnergy`` covers, in s; nil as ``audioLevel``.
        public var measuredSeconds: Double?
        /// The duration of the decoded samples that were cut at full scale: three or more in a row at 0.98 of it; in s; nil as ``audioLevel``.
        public var clippedSeconds: Double?
        /// RTP packets that the jitter buffer waited for in vain.
        public var packetsLost = 0
        /// RTP packets that arrived too late for the jitter buffer.
        public var packetsDiscarded = 0
        /// Lost RTP packets that the peer sent again in time; for video.
        public var packetsRepaired = 0
        /// How many packets left the jitter buffer.
        public var jitterBufferPackets = 0
        /// The total time that they spent in it, in s.
        public var jitterBufferSeconds = 0.0
        /// For how long more arrived than ``TrackConfiguration/maxReceiveKbit`` allows, in ms: the mean of five seconds was more than one and a half of the limit.
        ///
        /// 0 without a limit, and of codecs with a fixed rate. No rate below 100 kbit/s counts.
        public var aboveMaxRateMs = 0
        /// How many frames or audio buffers passed the receive gate.
        public var shown = 0
        /// When each of the first RTP packets left the jitter buffer, at most ``maximumArrivals``.
        public var arrivals: [ContinuousClock.Instant] = []

        /// The maximum length of ``arrivals``.
        public static let maximumArrivals = 4_096
    }

    /// The statistics of the transport.
    public struct Transport: Sendable, Equatable {
        /// The candidate pair that carries packets; nil before there is one.
        public var selectedPair: IceCandidatePair?
        /// Since when it does.
        public var selectedPairSince: ContinuousClock.Instant?
        /// How often another pair was selected, the first one included: by ICE, or since the network changed.
        public var selectedPairChanges = 0
        /// The round-trip time that RTCP measured last, in ms; nil before the first report.
        public var roundTripMs: Double?
        /// What the path takes of video by this end's estimate, in bit/s with all headers; nil before the peer has reported on packets.
        public var availableOutgoingBitrate: Double?
        /// What the path takes of the peer's video by this end's estimate, in bit/s with all headers.
        ///
        /// Nil unless the peer takes estimates (REMB) and no reports on its packets, and says when it sends them; also before half a second of its video.
        public var availableIncomingBitrate: Double?
        /// RTP packets that did not arrive.
        public var packetsLost = 0
        /// Bytes of RTP payload, without headers.
        public var bytesSent = 0
        /// See ``bytesSent``.
        public var bytesReceived = 0
    }

    /// By track; empty before negotiation.
    public var sent: [TrackID: Sent] = [:]
    /// By track; empty before negotiation.
    public var received: [TrackID: Received] = [:]
    /// The statistics of the transport.
    public var transport = Transport()
}
