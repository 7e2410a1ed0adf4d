/// The statistics of a peer connection under W3C's names (https://www.w3.org/TR/webrtc-stats/); as JSON an array of objects.
///
/// Values are right where those of `webrtcbin` 1.22 are not: kinds, codecs and losses are matched by SSRC, local and remote candidates
/// are not swapped, losses are never negative, and frames are counted at the decoder.
public struct StatisticsReport: Sendable, Equatable {
    /// The received stream of one kind; `type` is `inbound-rtp`.
    public struct InboundRtp: Sendable, Equatable, Codable {
        /// When, in ms since 1970.
        public var timestamp: Double
        /// The kind of entry.
        public private(set) var type = "inbound-rtp"
        /// Unique in the report.
        public var id: String
        /// The stream (RFC 3550 section 3).
        public var ssrc: UInt32
        /// `audio` or `video`.
        public var kind: String
        /// The ``CodecEntry`` in use.
        public var codecId: String
        /// The ``Transport`` in use.
        public var transportId = "transport"
        /// RTP packets.
        public var packetsReceived = 0
        /// RTP packets that did not arrive.
        public var packetsLost = 0
        /// RTP packets that arrived too late for the jitter buffer.
        public var packetsDiscarded = 0
        /// Without headers.
        public var bytesReceived = 0
        /// In s.
        public var jitter = 0.0
        /// Requests for a key frame (RFC 5104).
        public var firCount = 0
        /// Reports of a lost frame (RFC 4585).
        public var pliCount = 0
        /// Requests for lost packets (RFC 4585).
        public var nackCount = 0
        /// Lost packets that the peer sent again in time (RFC 4588).
        public var retransmittedPacketsReceived = 0
        /// The total time that packets spent in the jitter buffer, in s.
        public var jitterBufferDelay = 0.0
        /// How many packets left the jitter buffer.
        ///
        /// W3C counts frames and samples here; the mean of both is the same for frames of one packet.
        public var jitterBufferEmittedCount = 0
        /// For video: frames that arrived whole.
        public var framesReceived: Int?
        /// For video: those of them that can be decoded alone; W3C counts those that are decoded.
        public var keyFramesReceived: Int?
        /// For video.
        public var framesDecoded: Int?
        /// For video: frames that arrived whole and were to be decoded, but were not.
        public var framesDropped: Int?
        /// For video: frames per second, over the last 30, including those that ``PeerConnectionConfiguration/decoding`` leaves out; 0 when none arrived for a second.
        public var framesPerSecond: Double?
        /// For video: how often it froze.
        public var freezeCount: Int?
        /// For video: how long it was frozen, in s.
        public var totalFreezesDuration: Double?
        /// For video whose frames have marks, and not of W3C: the time from the capture of the latest frame until it is shown, in s.
        public var frameDelay: Double?
        /// In pixels; nil for audio and before the first frame.
        public var frameWidth: Int?
        /// In pixels; nil for audio and before the first frame.
        public var frameHeight: Int?
        /// For audio: per channel.
        public var totalSamplesReceived: Int?
        /// For Opus: those of them that the decoder made up for lost packets, per channel.
        public var concealedSamples: Int?
        /// For audio: the root mean square of the last 100 ms, 0 to 1; nil unless ``MediaMeasurement/level`` is enabled, as the next two.
        public var audioLevel: Double?
        /// For audio: the sum of the squares of the level over time.
        public var totalAudioEnergy: Double?
        /// For audio: the duration that ``totalAudioEnergy`` covers, in s.
        public var totalSamplesDuration: Double?
    }

    /// The sent stream of one kind; `type` is `outbound-rtp`.
    public struct OutboundRtp: Sendable, Equatable, Codable {
        /// When, in ms since 1970.
        public var timestamp: Double
        /// The kind of entry.
        public private(set) var type = "outbound-rtp"
        /// Unique in the report.
        public var id: String
        /// The stream (RFC 3550 section 3).
        public var ssrc: UInt32
        /// `audio` or `video`.
        public var kind: String
        /// The ``CodecEntry`` in use.
        public var codecId: String
        /// The ``Transport`` in use.
        public var transportId = "transport"
        /// The ``RemoteInboundRtp`` about this stream; nil before the peer's first report.
        public var remoteId: String?
        /// RTP packets.
        public var packetsSent = 0
        /// Without headers.
        public var bytesSent = 0
        /// Requests for a key frame (RFC 5104).
        public var firCount = 0
        /// Reports of a lost frame (RFC 4585).
        public var pliCount = 0
        /// Requests for lost packets (RFC 4585).
        public var nackCount = 0
        /// Packets that were sent again (RFC 4588).
        public var retransmittedPacketsSent = 0
        /// In bit/s.
        public var targetBitrate = 0
        /// What keeps the quality below the requested one: `none` or `bandwidth`.
        public var qualityLimitationReason = "none"
        /// How long which reason did, in s.
        public var qualityLimitationDurations: [String: Double] = [:]
        /// For video: frames that went to the encoder.
        public var framesSent: Int?
        /// In pixels; nil for audio and before the first frame.
        public var frameWidth: Int?
        /// In pixels; nil for audio and before the first frame.
        public var frameHeight: Int?
    }

    /// The peer's report about a stream that it receives; `type` is `remote-inbound-rtp`.
    ///
    /// `rtpsession` 1.22 keeps one report block of each packet: if a peer reports on two streams in one packet, one may be missing.
    public struct RemoteInboundRtp: Sendable, Equatable, Codable {
        /// When, in ms since 1970.
        public var timestamp: Double
        /// The kind of entry.
        public private(set) var type = "remote-inbound-rtp"
        /// Unique in the report.
        public var id: String
        /// The SSRC of this end's stream.
        public var ssrc: UInt32
        /// `audio` or `video`.
        public var kind: String
        /// The ``OutboundRtp`` that it is about.
        public var localId: String
        /// RTP packets that did not arrive.
        public var packetsLost = 0
        /// The lost share of the last half second or more, 0 to 1.
        public var fractionLost = 0.0
        /// In s.
        public var jitter = 0.0
        /// In s, of the path; nil before it was measured.
        public var roundTripTime: Double?
    }

    /// The candidate pair in use; `type` is `candidate-pair`.
    public struct CandidatePair: Sendable, Equatable, Codable {
        /// When, in ms since 1970.
        public var timestamp: Double
        /// The kind of entry.
        public private(set) var type = "candidate-pair"
        /// Unique in the report.
        public var id = "candidate-pair"
        /// The ``Transport`` in use.
        public var transportId = "transport"
        /// The ``Candidate`` of this end.
        public var localCandidateId = "local-candidate"
        /// The ``Candidate`` of the peer.
        public var remoteCandidateId = "remote-candidate"
        /// As RFC 8445 names it.
        public private(set) var state = "succeeded"
        /// Whether it was chosen.
        public private(set) var nominated = true
        /// The round-trip time that RTCP measured last, in s; nil before the first.
        public var currentRoundTripTime: Double?
        /// What the path takes of video by this end's estimate, in bit/s with all headers; nil before the peer has reported on packets.
        public var availableOutgoingBitrate: Double?
        /// What the path takes of the peer's video by this end's estimate, in bit/s with all headers.
        ///
        /// Nil unless the peer takes estimates (REMB) and no reports on its packets, and says when it sends them; also before half a second of its video.
        public var availableIncomingBitrate: Double?
    }

    /// One candidate of the pair; `type` is `local-candidate` or `remote-candidate`.
    public struct Candidate: Sendable, Equatable, Codable {
        /// When, in ms since 1970.
        public var timestamp: Double
        /// The kind of entry.
        public var type: String
        /// Unique in the report.
        public var id: String
        /// The ``Transport`` in use.
        public var transportId = "transport"
        /// The IP address.
        public var address: String
        /// The UDP or TCP port.
        public var port: Int
        /// `udp` or `tcp`.
        public var `protocol`: String
        /// How this end reaches its TURN server: `udp`, `tcp` or `tls`; nil unless it is a relay candidate of this end.
        public var relayProtocol: String?
        /// `host`, `srflx`, `prflx` or `relay`.
        public var candidateType: String
        /// As RFC 8445 section 5.1.2 computes it.
        public var priority: Int
    }

    /// A codec; `type` is `codec`.
    public struct CodecEntry: Sendable, Equatable, Codable {
        /// When, in ms since 1970.
        public var timestamp: Double
        /// The kind of entry.
        public private(set) var type = "codec"
        /// Unique in the report.
        public var id: String
        /// The ``Transport`` in use.
        public var transportId = "transport"
        /// The payload type in RTP.
        public var payloadType: Int
        /// Such as `video/VP8`.
        public var mimeType: String
        /// In Hz.
        public var clockRate: Int
    }

    /// The one transport of the bundle; `type` is `transport`.
    public struct Transport: Sendable, Equatable, Codable {
        /// When, in ms since 1970.
        public var timestamp: Double
        /// The kind of entry.
        public private(set) var type = "transport"
        /// Unique in the report.
        public private(set) var id = "transport"
        /// The ``CandidatePair`` in use; nil before there is one.
        public var selectedCandidatePairId: String?
        /// How often another pair was selected, the first one included: by ICE, or since the network changed.
        public var selectedCandidatePairChanges = 0
        /// When the pair was selected, in ms since 1970; not one of W3C's.
        public var selectedCandidatePairChanged: Double?
        /// Of RTP, without headers.
        public var bytesSent = 0
        /// Without headers.
        public var bytesReceived = 0
    }

    /// One for each received kind.
    public var inbound: [InboundRtp] = []
    /// One for each kind.
    public var outbound: [OutboundRtp] = []
    /// One for each kind that the peer has reported on.
    public var remoteInbound: [RemoteInboundRtp] = []
    /// Nil before there is one.
    public var candidatePair: CandidatePair?
    /// None or two.
    public var candidates: [Candidate] = []
    /// One for each kind.
    public var codecs: [CodecEntry] = []
    /// Nil before the negotiation.
    public var transport: Transport?

    /// Makes an empty report.
    public init() {}
}

extension StatisticsReport: Encodable {
    /// Writes every entry into one array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if let transport { try container.encode(transport) }
        if let candidatePair { try container.encode(candidatePair) }
        for entry in candidates { try container.encode(entry) }
        for entry in codecs { try container.encode(entry) }
        for entry in inbound { try container.encode(entry) }
        for entry in outbound { try container.encode(entry) }
        for entry in remoteInbound { try container.encode(entry) }
    }
}
