/// What a peer connection has sent and received so far.
public struct PeerStatistics: Sendable, Equatable {
    /// What was sent of one kind.
    public struct Sent: Sendable, Equatable {
        /// The codec.
        public var codec: Codec
        /// The size of the pictures, in pixels; nil for audio and before the first one.
        public var width: Int?
        /// See ``width``.
        public var height: Int?
        /// How many raw frames or audio buffers left the send gate.
        public var frames: Int
        /// The pitch of the source in Hz, when it is a tone.
        public var toneHz: Double?
    }

    /// What was received of one kind.
    public struct Received: Sendable, Equatable {
        /// The codec.
        public var codec: Codec
        /// The size of the decoded pictures, in pixels; nil for audio and before the first one.
        public var width: Int?
        /// See ``width``.
        public var height: Int?
        /// How many pictures the decoder gave, or samples (per channel, at ``sampleRate``).
        public var decoded = 0
        /// How many pictures differ from the one before them; nil for audio, and unless ``MediaMeasurement/distinctFrames`` is asked for.
        public var distinctFrames: Int?
        /// Samples per second, in Hz; nil for video and before the first sound.
        public var sampleRate: Int?
        /// The pitch measured in the decoded samples, in Hz; nil for video, while there is no clear tone, and unless ``MediaMeasurement/pitch`` is asked for.
        public var toneHz: Double?
        /// Decoded pictures per second, over the last 30, 0 when none came for a second; nil for audio and before the second one.
        public var framesPerSecond: Double?
        /// How often the pictures stood still; nil for audio.
        public var freezes: Int?
        /// For how long they did, in s; nil for audio.
        public var frozenSeconds: Double?
        /// The level of the last 100 ms of decoded sound, 0 to 1; nil for video, before, and unless ``MediaMeasurement/level`` is asked for, as the next two.
        public var audioLevel: Double?
        /// The sum of the squares of the level over time, in s; nil as ``audioLevel``.
        public var audioEnergy: Double?
        /// How much sound ``audioEnergy`` is of, in s; nil as that.
        public var measuredSeconds: Double?
        /// RTP packets that the jitter buffer waited for in vain.
        public var packetsLost = 0
        /// RTP packets that came too late for the jitter buffer.
        public var packetsDiscarded = 0
        /// How many packets left the jitter buffer.
        public var jitterBufferPackets = 0
        /// How long they were in it, all together, in s.
        public var jitterBufferSeconds = 0.0
        /// How many pictures or audio buffers left the receive gate.
        public var shown = 0
        /// When each of the first RTP packets came out of the jitter buffer, at most ``maximumArrivals``.
        public var arrivals: [ContinuousClock.Instant] = []

        /// The length that ``arrivals`` stops at.
        public static let maximumArrivals = 4_096
    }

    /// The connection itself.
    public struct Transport: Sendable, Equatable {
        /// The type of the candidates in use (RFC 8445): host, srflx, prflx or relay; nil before there are any.
        public var localCandidate: String?
        /// See ``localCandidate``.
        public var remoteCandidate: String?
        /// The round trip time that RTCP measured last, in ms; nil before the first report.
        public var roundTripMs: Double?
        /// RTP packets that did not arrive.
        public var packetsLost = 0
        /// Bytes of RTP payload, without headers.
        public var bytesSent = 0
        /// See ``bytesSent``.
        public var bytesReceived = 0
    }

    /// By kind; empty before negotiation.
    public var sent: [MediaKind: Sent] = [:]
    /// By kind; empty before negotiation.
    public var received: [MediaKind: Received] = [:]
    /// The connection itself.
    public var transport = Transport()
}
