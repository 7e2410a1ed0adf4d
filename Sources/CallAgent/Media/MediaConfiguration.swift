public import CallProtocol
public import MediaEngine

/// The media that an agent's calls send, and their settings.
///
/// By default calls send a test pattern and a tone.
public struct MediaConfiguration: Sendable {
    /// When sources are opened.
    public enum CapturePolicy: Sendable {
        /// At ``Agent/prepare()`` for test patterns and tones, with the call for devices.
        case automatic
        /// With the first call that needs them, and closed after the last: an idle agent holds no camera.
        case perCall
        /// At ``Agent/prepare()``, and kept open: the first frame of a call does not wait for a device.
        case fromPrepare
    }

    /// The video source; nil sends no video and makes every call an audio call.
    public var video: VideoSource?
    /// Further video sources, such as a second camera or the screen: each is a video of its own for the peer (`TrackID`).
    ///
    /// They follow ``video`` in everything: muted, off and held with it. At most three, and none without ``video``. A peer that takes fewer videos
    /// gets the first ones; ``CallNotice/mediaWarning(text:)`` tells of the others. Not every signaling takes them: media servers and rooms have one video.
    public var additionalVideos: [VideoSource] = []
    /// How many videos the peer may send, 1 to 4.
    ///
    /// A caller asks for so many; nil: for as many as it sends. A callee takes so many at most; nil: four.
    public var receivedVideos: Int?
    /// The audio source; nil sends no audio.
    public var audio: AudioSource?
    /// The video codecs that may be used, best first; codecs that the machine lacks are skipped.
    public var videoCodecs: [Codec] = Codec.preferred(.video)
    /// The audio codecs that may be used, best first.
    public var audioCodecs: [Codec] = Codec.preferred(.audio)
    /// The pipeline descriptions of encoders that replace the default ones, by name, such as `va-h264`.
    public var encoders: [String] = []
    /// The payload types that this end's offers use instead of the default ones.
    public var payloadTypes: [PayloadTypeRule] = []
    /// The Opus settings; ``Call/setOpus(_:)`` changes them during a call.
    public var opus = OpusParameters()
    /// The most video that the peer may send, in kbit/s; nil sets no limit.
    public var maxReceiveVideoKbit: Int?
    /// The most audio that the peer may send, in kbit/s; nil sets no limit.
    public var maxReceiveAudioKbit: Int?
    /// The highest rate of the sent video, in kbit/s; less is sent when the path takes less.
    public var videoBitrateKbit = 1_000
    /// Whether calls that send the same source in the same format share one encoder (`TrackConfiguration.sharesEncoder`).
    public var sharesEncoders = true
    /// How much of the peer's video is decoded while nobody looks at it.
    public var decoding = DecodingPolicy.all
    /// What is kept longest when the path takes too little for the video.
    public var degradationPreference = DegradationPreference.balanced
    /// The rate that the audio encoder aims at, in kbit/s.
    public var audioBitrateKbit = 48
    /// Whether packets say how loud the audio is, for servers that find out who speaks (`TrackConfiguration.sendsLevel`).
    public var sendsAudioLevel = false
    /// Whether video is also sent in half and in a quarter of its width and height (`TrackConfiguration.simulcastScales`); for rooms only, since
    /// another peer may take the versions for one stream.
    package var sendsSimulcast = false
    /// When sources are opened.
    public var capturePolicy = CapturePolicy.automatic
    /// The settings of the transport.
    public var tuning = TransportTuning()
    /// The STUN and TURN servers, in addition to those that the signaling server provides.
    public var iceServers: [IceServer] = []
    /// A PEM file with certificates to trust for `turns:` servers, in addition to the system's.
    public var trustRootsFile: String?
    /// Which candidates may be used.
    public var iceTransportPolicy = IceTransportPolicy.all
    /// Whether names such as `0b5c7a3e.local` in the peer's candidates are looked up by multicast DNS (RFC 6762); else such candidates are passed over.
    ///
    /// Browsers send such names instead of private addresses. At most 16 names of one peer are looked up, and none while only relay candidates may be used.
    public var looksUpMulticastNames = false
    /// A network with chosen conditions that all that the calls send passes, for tests; nil: none.
    ///
    /// All calls share it, like one access line.
    public var network: NetworkEmulator?
    /// How this end's candidates reach the peer.
    public var candidateDelivery = CandidateDelivery.trickled
    /// Whether calls have data channels (``Call/openDataChannel(_:options:)``), if the other end allows them, too.
    ///
    /// This end's calls ask for them from the beginning, so that a channel opens without another connection.
    public var allowsDataChannels = false
    /// What is measured in received media, in addition to counts: pitch, level, frames that differ, muted media that is not black or silent.
    ///
    /// Nothing by default, because it costs processor time. Levels in ``CallEvent/statistics(_:)`` need `MediaMeasurement.level`.
    public var measurements: Set<MediaMeasurement> = []
    /// What calls negotiate at most; both directions by default.
    ///
    /// It is for signaling with servers that only take media, or only send it.
    public var direction = MediaDirection.sendrecv
    /// Where the media of each call goes once it is connected: windows, speakers, recordings.
    ///
    /// A recording must be able to hold the codecs of the call. `%p` in the file's name stands for the peer's name. The first call with a path has that path;
    /// later ones have `-2`, `-3` and so on before the extension.
    public var outputs = OutputConfiguration()

    /// What stands for the name of the peer in the path of a recording.
    static let peerPlace = "%p"

    /// Whether the first call of a peer can use a session that was built before anybody knew the peer.
    var allowsSessionsAhead: Bool { outputs.recordingPath?.contains(Self.peerPlace) != true }

    /// Uses these sources; everything else has its default.
    public init(video: VideoSource? = .test(), audio: AudioSource? = .tone()) {
        self.video = video
        self.audio = audio
    }
}
