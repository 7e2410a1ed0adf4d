public import MediaEngine

/// What the media of a call sent and received.
public struct MediaReport: Sendable, Equatable {
    /// What was sent of one kind.
    public struct Sent: Sendable, Equatable {
        /// Its name in SDP, such as `VP8`.
        public var codec: String
        /// In pixels; nil for sound.
        public var width: Int?
        /// In pixels; nil for sound.
        public var height: Int?
        /// Raw pictures, or buffers of sound, that left the send gate.
        public var frames: Int
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

    /// What was received of one kind.
    public struct Received: Sendable, Equatable {
        /// Its name in SDP, such as `OPUS`.
        public var codec: String
        /// In pixels; nil for sound and before the first picture.
        public var width: Int?
        /// In pixels; nil for sound and before the first picture.
        public var height: Int?
        /// Pictures, or samples per channel, that the decoder gave.
        public var decoded = 0
        /// Pictures that differ from the one before them; nil for sound, and unless ``MediaConfiguration/measurements`` has it.
        public var distinctFrames: Int?
        /// The pitch measured in the decoded samples, in Hz; nil while there is no clear tone, and unless ``MediaConfiguration/measurements`` has it.
        public var toneHz: Double?
        /// Pictures, or buffers of sound, that left the receive gate.
        public var shown = 0
        /// Those of ``shown`` that did so before the gates were opened: 0 unless something is wrong.
        public var shownBeforeOpening = 0
        /// When the first RTP packets arrived, some thousands at most.
        public var arrivals: [ContinuousClock.Instant] = []

        /// Makes an empty record.
        public init(codec: String) { self.codec = codec }

        /// How many of the first RTP packets arrived before `instant`.
        public func arrivals(before instant: ContinuousClock.Instant) -> Int { arrivals.count { $0 < instant } }
    }

    /// Both directions of one kind.
    public struct Track: Sendable, Equatable {
        /// What went out.
        public var sent: Sent
        /// What came in.
        public var received: Received

        /// Makes a pair.
        public init(sent: Sent, received: Received) {
            self.sent = sent
            self.received = received
        }
    }

    /// The connection itself.
    public struct Transport: Sendable, Equatable {
        /// The type of this end's candidate in use (RFC 8445): host, srflx, prflx or relay.
        public var localCandidate: String?
        /// The type of the peer's candidate in use.
        public var remoteCandidate: String?
        /// The last round trip time that RTCP measured, in ms.
        public var roundTripMs: Double?
        /// RTP packets of the peer that did not arrive.
        public var packetsLost = 0
        /// RTP bytes.
        public var bytesSent = 0
        /// RTP bytes.
        public var bytesReceived = 0

        /// Makes an empty record.
        public init() {}
    }

    /// Nil when the call has no pictures, or nothing was negotiated.
    public var video: Track?
    /// Nil when the call has no sound, or nothing was negotiated.
    public var audio: Track?
    /// The connection itself.
    public var transport = Transport()
    /// The same and more under W3C's names.
    public var rtcStatistics = StatisticsReport()

    /// Makes an empty report.
    public init() {}
}
