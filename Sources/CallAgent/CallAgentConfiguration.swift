public import CallProtocol
public import MediaEngine

/// Everything that can be set on an agent, with its defaults.
public struct CallAgentConfiguration: Sendable {
    /// What calls send, and how.
    public var media: MediaConfiguration
    /// What happens while a call rings here, unless ``earlyMediaForInvite`` says otherwise.
    public var earlyMedia = EarlyMediaPolicy.guarded
    /// Decides about each invite, before anything of it is answered; nil goes by ``earlyMedia``.
    ///
    /// The invite waits for the answer, so it should be a quick one.
    public var earlyMediaForInvite: (@Sendable (IncomingInvite) async -> EarlyMediaPolicy)?
    /// The media of a call that is built at ``CallAgent/prepare()`` already, offer and candidates included, for the next call that is
    /// placed with these media; nil builds with the call.
    ///
    /// Saves the time of that in each call, and costs an open capture and sockets in between.
    public var joinsAhead: CallMedia?
    /// Whether this end itself tells a caller that it rings.
    ///
    /// False where the server does it, and for a device that is not to be known to be there.
    public var announcesRinging = true
    /// Ring 30 s, connect 10 s, media lost 30 s.
    public var timeouts = CallTimeouts()
    /// How many calls the agent has at a time; one more is answered "busy".
    ///
    /// A call that rings counts.
    public var maximumCalls = 1
    /// How messages are repeated on a transport that does not guarantee delivery.
    public var delivery = DeliveryTiming()
    /// How often the peer of a call that rings is asked whether the call is still there, in ms; nil asks only when signaling was
    /// lost and is back.
    public var ringAuditMs: Int? = 5_000
    /// The same for an accepted call.
    public var callAuditMs: Int? = 30_000
    /// What the peer is told as the caller's name; at most ``SignalingLimits/textBytes`` bytes.
    public var displayName: String?
    /// What the peer is told as the caller's address (`user@domain`); at most ``SignalingLimits/textBytes`` bytes.
    public var address: String?
    /// Data of the application's own that goes with every invite, accept, reject, cancel and hangup.
    public var extensionData: [String: String] = [:]
    /// What is told when calls ring and end.
    public var hooks: [any CallHook] = []
    /// How often each call tells ``CallEvent/statistics(_:)``, and swift-metrics with it; nil does neither.
    ///
    /// Counters (`callagent_rtp_packets_received_total` and so on) are sums over all calls; gauges (`callagent_received_kbit_per_second` and so on)
    /// have the call's id as the label `call` and are taken away when it ends.
    public var statisticsInterval: Duration?
    /// How many reports of ended calls are kept for ``CallAgent/report(callId:)``.
    public var keptReports = 256

    /// Takes the media as they are; everything else has its default.
    public init(media: MediaConfiguration) { self.media = media }

    /// Names the sources; everything else has its default.
    public init(video: VideoSource? = .test(), audio: AudioSource? = .tone()) {
        media = MediaConfiguration(video: video, audio: audio)
    }

    /// Cuts what messages would not carry.
    func bounded() -> Self {
        var result = self
        result.displayName = displayName.map(SignalingLimits.bounded)
        result.address = address.map(SignalingLimits.bounded)
        if !SignalingLimits.isExtension(extensionData) { result.extensionData = [:] }
        result.maximumCalls = max(maximumCalls, 1)
        result.keptReports = max(keptReports, 0)
        result.statisticsInterval = statisticsInterval.map { max($0, .milliseconds(100)) }
        return result
    }
}
