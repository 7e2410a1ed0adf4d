internal import LocalNetwork

/// The settings of one peer connection.
public struct PeerConnectionConfiguration: Sendable {
    /// A name for threads, logs and error messages, such as the call id.
    public var label: String
    /// What is sent and received; at least one track.
    ///
    /// One audio, and up to ``TrackID/maximumVideos`` videos, numbered without a gap. An offer has an m-line for each, also for a track without a
    /// source: there the peer may send. An answer has the tracks that the offer has, too, and refuses its other m-lines.
    public var tracks: [TrackID: TrackConfiguration]
    /// The most videos that an answer takes, if ``tracks`` has fewer; those beyond ``tracks`` are only received, with the settings of the first one.
    public var maximumVideos = 1
    /// The settings of the transport.
    public var tuning = TransportTuning()
    /// The STUN and TURN servers; none by default.
    ///
    /// If a URL occurs twice, the last credentials count. All STUN servers are asked, and the first answer counts. STUN over TLS and TURN
    /// over DTLS are skipped with a warning. A malformed URL makes the offer or answer fail.
    public var iceServers: [StunTurnServer] = []
    /// A PEM file with certificates to trust for `turns:` besides the system's.
    ///
    /// The certificate of a TURN server over TLS, and the host name in it, are always verified.
    public var trustRootsFile: String?
    /// Whether the peer and this end may open data channels (``PeerConnection/makeDataChannel(_:options:)``).
    public var allowsDataChannels = false
    /// Which candidates may be used.
    public var iceTransportPolicy = IceTransportPolicy.all
    /// Whether the peer's candidates with a name such as `0b5c7a3e.local` are looked up by multicast DNS (RFC 6762); else they are passed over.
    ///
    /// Browsers send such names instead of private addresses. The system's resolver looks them up, on Debian with the package `libnss-mdns`: at most
    /// 16 names of one peer, and none with ``IceTransportPolicy/relay``.
    public var looksUpMulticastNames = false
    /// Looks up a host name, and returns its addresses in numeric form.
    var lookUpName: @Sendable (String) async -> [String] = NameLookup.addresses(of:)
    /// A network with chosen conditions that all that is sent passes, for tests; nil: none.
    public var network: NetworkEmulator?
    /// How this end's candidates reach the peer.
    public var candidateDelivery = CandidateDelivery.trickled
    /// The parameters of Opus; a value out of range counts as its default, with a warning.
    ///
    /// The packet length applies to every audio codec.
    public var opus = OpusParameters()
    /// The rules that replace default payload types in this end's offers, in order of application.
    public var payloadTypes: [PayloadTypeRule] = []
    /// What is measured of decoded media from the start, besides the counters; ``PeerConnection/measure(_:)`` changes it.
    public var measurements: Set<MediaMeasurement> = []
    /// How much of the peer's video is decoded while nobody looks at it.
    ///
    /// What is not decoded is still received, recorded and counted; its freezes are measured by the arrival of its frames. A sink or a reader of frames gets
    /// all frames from the next key frame on, for which this end asks at once. A snapshot shows the last frame that was decoded.
    public var decoding = DecodingPolicy.all

    /// - Throws: ``MediaError/rejected(operation:text:)`` for numbers with a gap, and for too many.
    func checkTracks() throws(MediaError) {
        let videos = tracks.keys.filter { $0.kind == .video }.map(\.number).sorted()
        guard videos.count < 2 || tracks.allSatisfy({ $0.key.kind == .audio || $0.value.simulcastScales.isEmpty })
        else {
            throw .rejected(operation: "simulcast of several videos", text: "use simulcastScales only with one video")
        }
        guard videos == Array(0..<videos.count).map({ $0 + 1 }), videos.count <= TrackID.maximumVideos else {
            throw .rejected(
                operation: "a configuration with the videos \(videos)",
                text: "number them from 1, without a gap, \(TrackID.maximumVideos) at most")
        }
    }

    /// The tracks of an answer, with those that only receive.
    func answering() -> Self {
        var answering = self
        guard var further = tracks[.video] else { return self }
        further.source = nil
        further.direction = further.direction.limited(to: .recvonly)
        guard further.direction.receives else { return self }
        for number in 2...TrackID.maximumVideos where number <= maximumVideos && tracks[.video(number)] == nil {
            answering.tracks[.video(number)] = further
        }
        return answering
    }

    /// Makes a configuration with the tuning for real networks.
    public init(label: String, tracks: [TrackID: TrackConfiguration]) {
        self.label = label
        self.tracks = tracks
    }
}

/// The settings of one track: what a peer connection sends and receives on it.
public struct TrackConfiguration: Sendable {
    /// The source of the sent media; nil: the track only receives.
    ///
    /// Without a source, the m-line is still negotiated as ``direction`` says; nothing is sent on it.
    public var source: CaptureSource?
    /// What is negotiated at most, from the view of this end; both directions by default.
    ///
    /// It is for servers that only take media, or only send it. In calls each end mutes and stops its media instead, without a negotiation.
    public var direction = MediaDirection.sendrecv
    /// The codecs that may be used, best first.
    ///
    /// An offer lists those whose elements are installed, in this order; the first codec of the answer is used. An answer takes the first
    /// offered codec that is one of these.
    public var codecs: [Codec]
    /// The pipeline descriptions that replace default encoders; a name ends with its codec, such as `va-h264`.
    public var encoders: [String] = []
    /// The target bitrate of the encoder, in kbit/s.
    public var bitrateKbit: Int
    /// Whether tracks that send the same source in the same format share one encoder: then each costs little more than its packets.
    ///
    /// A track begins with an encoder of its own, and has it while something sets it apart: while it is muted, while the path takes too little, with
    /// other audio processing than ``AudioProcessing/off``, and after its peer asked for many key frames. Of audio only Opus is shared.
    public var sharesEncoder = true
    /// Whether the packets of audio say how loud it is (RFC 6464), if this end makes the offer and the peer takes it; has no effect on video.
    ///
    /// It is for servers that find out who speaks. Anyone who sees the packets can read it. Such a track does not share its encoder.
    public var sendsLevel = false
    /// How many times smaller in width and height the video is sent, too, if this end makes the offer (simulcast): up to three numbers from 2 to 8.
    ///
    /// The peer must know `a=ssrc-group:SIM`; it is for servers that choose a version for each receiver. ``bitrateKbit`` is that of the largest version: one
    /// of half the size adds 35 %, one of a quarter 13 %. Each needs an encoder. Such a track does not share its encoder. Has no effect on audio,
    /// and with an encoder whose rate is fixed.
    public var simulcastScales: [Int] = []
    /// What is kept longest when the path takes too little for the video; has no effect on audio.
    public var degradationPreference = DegradationPreference.balanced
    /// The processing of audio before it is sent; has no effect on video.
    public var processing = AudioProcessing.off
    /// The maximum that the peer may send of this kind, in kbit/s, written as `b=AS` and `b=TIAS` (RFC 8866 section 5.8, RFC 3890); nil: no limit.
    public var maxReceiveKbit: Int?

    /// Makes a track that sends and receives; the default bitrates are 1000 kbit/s for video and 48 kbit/s for audio.
    public init(source: CaptureSource, codecs: [Codec]? = nil, bitrateKbit: Int? = nil) {
        self.source = source
        self.codecs = codecs ?? Codec.preferred(source.kind)
        self.bitrateKbit = bitrateKbit ?? (source.kind == .video ? 1_000 : 48)
    }

    /// Makes a track that only receives.
    public init(receiving kind: MediaKind, codecs: [Codec]? = nil) {
        self.codecs = codecs ?? Codec.preferred(kind)
        bitrateKbit = kind == .video ? 1_000 : 48
    }
}
