public import CallProtocol
public import MediaEngine

/// What an agent's calls send, and how.
///
/// The defaults are a test picture and a tone.
public struct MediaConfiguration: Sendable {
    /// When sources are opened.
    public enum CapturePolicy: Sendable {
        /// At ``CallAgent/prepare()`` for test pictures and tones, with the call for devices.
        case automatic
        /// With the first call that needs them, and closed after the last: an idle agent holds no camera.
        case perCall
        /// At ``CallAgent/prepare()``, and kept open: the first picture of a call waits for no device.
        case fromPrepare
    }

    /// The source of the pictures; nil sends none and makes every call an audio call.
    public var video: VideoSource?
    /// The source of the sound; nil sends none.
    public var audio: AudioSource?
    /// The video codecs that may be used, best first; those that the machine lacks are passed over.
    public var videoCodecs: [Codec] = Codec.preferred(.video)
    /// The audio codecs that may be used, best first.
    public var audioCodecs: [Codec] = Codec.preferred(.audio)
    /// The pipeline descriptions of encoders that take the place of the usual ones, by name, such as `va-h264`.
    public var encoders: [String] = []
    /// The payload types that this end's offers use instead of the usual ones.
    public var payloadTypes: [PayloadTypeRule] = []
    /// What Opus is asked for; ``Call/setOpus(_:)`` changes it during a call.
    public var opus = OpusParameters()
    /// The most video that the peer may send, in kbit/s; nil sets no limit.
    public var maxReceiveVideoKbit: Int?
    /// The most audio that the peer may send, in kbit/s; nil sets no limit.
    public var maxReceiveAudioKbit: Int?
    /// The rate that the video encoder aims at, in kbit/s.
    public var videoBitrateKbit = 1_000
    /// The rate that the audio encoder aims at, in kbit/s.
    public var audioBitrateKbit = 48
    /// When sources are opened.
    public var capturePolicy = CapturePolicy.automatic
    /// The knobs of the transport.
    public var tuning = TransportTuning()
    /// The STUN and TURN servers, besides those that the signaling server hands out.
    public var iceServers: [IceServer] = []
    /// A PEM file with certificates to trust for `turns:` servers besides the system's.
    public var trustRootsFile: String?
    /// Which candidates may be used.
    public var iceTransportPolicy = IceTransportPolicy.all
    /// How this end's candidates reach the peer.
    public var candidateDelivery = CandidateDelivery.trickled
    /// What is measured of what arrives, beside the counts: pitch, level, pictures that differ.
    ///
    /// Nothing by default, since it costs processor time. Levels in ``CallEvent/statistics(_:)`` need `MediaMeasurement.level`.
    public var measurements: Set<MediaMeasurement> = []
    /// Where the peer's pictures are shown once a call is connected.
    public var videoSink = VideoSink.discard
    /// Where the peer's sound is played once a call is connected.
    public var audioSink = AudioSink.discard
    /// Where what each call receives is recorded; nil records nothing.
    ///
    /// The extension is that of a `RecordingFormat`: `.mkv`, `.webm` or `.mp4`; the codecs of the call have to be such that the file can hold them.
    /// The first call has this path; later ones have `-2`, `-3` and so on before the extension.
    public var recordingPath: String?
    /// Whether what is sent is recorded, too, beside it: `call.sent.mkv` with `call.mkv`.
    public var recordsSent = false

    /// Names the sources; everything else has its default.
    public init(video: VideoSource? = .test(), audio: AudioSource? = .tone()) {
        self.video = video
        self.audio = audio
    }
}
