/// What one peer connection sends and how.
public struct PeerConnectionConfiguration: Sendable {
    /// A name for threads, logs and error messages, such as the call id.
    public var label: String
    /// What is sent and received, by kind; there is at least one.
    public var tracks: [MediaKind: TrackConfiguration]
    /// The transport's knobs.
    public var tuning = TransportTuning()
    /// The STUN and TURN servers; none by default.
    ///
    /// A URL that comes again has the credentials that came last. All STUN servers are asked, and the first answer counts. STUN by TLS and TURN by DTLS are passed
    /// over with a warning. A malformed URL shows when the offer or answer is made.
    public var iceServers: [StunTurnServer] = []
    /// A PEM file with certificates to trust for `turns:` besides the system's.
    ///
    /// The certificate of a TURN server by TLS, and the host name in it, are always verified.
    public var trustRootsFile: String?
    /// Whether the peer may open data channels, and this end make some (``PeerConnection/makeDataChannel(_:options:)``).
    public var allowsDataChannels = false
    /// Which candidates may be used.
    public var iceTransportPolicy = IceTransportPolicy.all
    /// How this end's candidates reach the peer.
    public var candidateDelivery = CandidateDelivery.trickled
    /// What Opus is asked for; a value out of range counts as its default, with a warning.
    ///
    /// The packet length holds for every audio codec.
    public var opus = OpusParameters()
    /// The payload types that this end's offers use instead of the usual ones, in order of application.
    public var payloadTypes: [PayloadTypeRule] = []
    /// What is measured of decoded media from the beginning on, beside the counts; ``PeerConnection/measure(_:)`` changes it.
    public var measurements: Set<MediaMeasurement> = []
    /// Where the peer's pictures are shown from ``PeerConnection/setReceiving(_:)`` on.
    public var videoSink = VideoSink.discard
    /// Where the peer's sound is played from ``PeerConnection/setReceiving(_:)`` on.
    public var audioSink = AudioSink.discard
    /// The file that what arrives is written into, as it was coded, from ``PeerConnection/setReceiving(_:)`` on; nil for none.
    ///
    /// Its extension is that of a ``RecordingFormat``. A file has the tracks that were there when it began: pictures that come, stop for two seconds, or have
    /// another size begin another one, `call.part2.mkv` after `call.mkv`. What cannot be written is ``PeerConnectionEvent/Kind/recordingFailed(_:)``.
    public var recordingPath: String?
    /// How many files a recording has at most, in each direction; at least 1.
    ///
    /// When pictures would begin a further one, they are recorded no more, which ``PeerConnectionEvent/Kind/recordingFailed(_:)`` tells; the sound goes on in
    /// one last file. A recording without sound ends.
    public var maximumRecordingFiles = 100
    /// Whether what is sent is recorded, too, as it was coded: into `call.sent.mkv` beside `call.mkv`.
    ///
    /// Both begin at the same moment. Two files, since most players show only the first track of each kind.
    public var recordsSent = false

    /// Where what is sent is recorded when what arrives is recorded to `path`.
    public static func pathOfSent(beside path: String) -> String { path.beforeExtension(".sent") }

    /// Makes a configuration with the tuning for real networks and no recording.
    public init(label: String, tracks: [MediaKind: TrackConfiguration]) {
        self.label = label
        self.tracks = tracks
    }
}

/// What a peer connection sends and receives of one kind.
public struct TrackConfiguration: Sendable {
    /// Where what is sent comes from; nil only receives.
    ///
    /// The m-line is negotiated for both directions all the same, since `webrtcbin` 1.22 knows no other; nothing is sent on it.
    public var source: CaptureSource?
    /// The codecs that may be used, best first.
    ///
    /// An offer names those whose elements are installed, in this order, and the first of the answer's is used. An answer takes the first that
    /// was offered and is one of these.
    public var codecs: [Codec]
    /// The pipeline descriptions that encode in the place of the usual ones, each the codec that its name ends with, such as `va-h264`.
    public var encoders: [String] = []
    /// The rate that the encoder aims at, in kbit/s.
    public var bitrateKbit: Int
    /// What is done to the sound before it is sent; means nothing for pictures.
    public var processing = AudioProcessing.off
    /// The most that the peer may send of this kind, in kbit/s, written as `b=AS` and `b=TIAS` (RFC 8866 section 5.8, RFC 3890); nil sets no limit.
    public var maxReceiveKbit: Int?

    /// The default rates are 1000 kbit/s for video and 48 kbit/s for audio.
    public init(source: CaptureSource, codecs: [Codec]? = nil, bitrateKbit: Int? = nil) {
        self.source = source
        self.codecs = codecs ?? Codec.preferred(source.kind)
        self.bitrateKbit = bitrateKbit ?? (source.kind == .video ? 1_000 : 48)
    }

    /// A track that receives and has nothing to send.
    public init(receiving kind: MediaKind, codecs: [Codec]? = nil) {
        self.codecs = codecs ?? Codec.preferred(kind)
        bitrateKbit = kind == .video ? 1_000 : 48
    }
}
