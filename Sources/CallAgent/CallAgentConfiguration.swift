public import CallProtocol
public import MediaEngine

/// Everything that can be set on an agent, with its defaults.
public struct CallAgentConfiguration: Sendable {
    /// What calls send, and how.
    public var media: MediaConfiguration
    /// What happens while a call rings here, unless ``screenInvite`` says otherwise.
    public var earlyMedia = EarlyMediaPolicy.guarded
    /// Decides about each invite before anything else happens: before its caller hears `ringing`, a hook runs or a device is opened;
    /// nil lets every invite ring.
    ///
    /// Other calls go on while it decides. Its task is cancelled when the caller gives up or the invite's ring timeout is over; it has to
    /// return then, since its invite holds a place until it does. While
    /// ``CallAgent/maximumPendingInvites`` invites wait for their decision, further ones are refused as busy.
    public var screenInvite: (@Sendable (IncomingInvite) async -> InviteDecision)?
    /// What is built at ``CallAgent/prepare()`` already for the next call; nil builds with the call.
    ///
    /// Costs an open capture and sockets in between. A new one takes its place every
    /// 45 s, since addresses change. A call with other media is built as without it.
    public var joinsAhead: JoinAhead?
    /// Whether this end itself tells a caller that it rings.
    ///
    /// False where the server does it, and for a device that is not to be known to be there.
    public var announcesRinging = true
    /// Ring 30 s, connect 10 s, media lost 30 s.
    public var timeouts = CallTimeouts()
    /// How many calls the agent has at a time; one more is answered "busy".
    ///
    /// A call that rings counts. 1 to 10,000.
    public var maximumCalls = 1
    /// How messages are repeated on a transport that does not guarantee delivery.
    public var delivery = DeliveryTiming()
    /// How often the peer of a call that rings is asked whether the call is still there, in ms; nil asks only when signaling was
    /// lost and is back.
    ///
    /// 1 to 86,400,000, like ``callAuditMs``.
    public var ringAuditMs: Int? = 5_000
    /// The same for an accepted call.
    public var callAuditMs: Int? = 30_000
    /// What the peer is told as the caller's name; at most `SignalingLimits.textBytes` bytes.
    public var displayName: String?
    /// What the peer is told as the caller's address (`user@domain`); at most `SignalingLimits.textBytes` bytes.
    public var address: String?
    /// Data of the application's own that goes with every invite, accept, reject, cancel and hangup.
    public var extensionData: [String: String] = [:]
    /// What is told when calls ring and end.
    public var hooks: [any CallHook] = []
    /// How often each call tells ``CallEvent/statistics(_:)``, and swift-metrics with it; nil does neither.
    ///
    /// Counters (`callagent_rtp_packets_received_total` and so on) are sums over all calls; gauges (`callagent_received_kbit_per_second` and so on)
    /// have the call's id as the label `call` and are taken away when it ends. At least 100 ms.
    public var statisticsInterval: Duration?
    /// How many reports of ended calls are kept for ``CallAgent/report(callId:)``.
    public var keptReports = 256

    /// Takes the media as they are; everything else has its default.
    public init(media: MediaConfiguration) { self.media = media }

    /// Names the sources; everything else has its default.
    public init(video: VideoSource? = .test(), audio: AudioSource? = .tone()) {
        media = MediaConfiguration(video: video, audio: audio)
    }

    /// How many calls an agent may have at a time at most.
    static let largestMaximumCalls = 10_000

    /// Refuses values that no agent can work with.
    ///
    /// - Throws: ``CallError/invalidConfiguration(_:)`` and ``CallError/invalidExtension(_:)``.
    func check() throws(CallError) {
        let day = 86_400_000
        func require(_ value: Int?, _ range: ClosedRange<Int>, _ name: String) throws(CallError) {
            guard let value, !range.contains(value) else { return }
            throw .invalidConfiguration(
                "\(name) is \(value); it has to be in \(range.lowerBound)...\(range.upperBound)")
        }
        try require(maximumCalls, 1...Self.largestMaximumCalls, "maximumCalls")
        try require(keptReports, 0...1_000_000, "keptReports")
        try require(ringAuditMs, 1...day, "ringAuditMs")
        try require(callAuditMs, 1...day, "callAuditMs")
        try require(timeouts.ringMs, 1...SignalingLimits.ringTimeoutMs, "timeouts.ringMs")
        try require(timeouts.connectMs, 1...day, "timeouts.connectMs")
        try require(timeouts.mediaLostMs, 1...day, "timeouts.mediaLostMs")
        try require(timeouts.peerGoneMs, 0...day, "timeouts.peerGoneMs")
        try require(timeouts.forkMs, 0...day, "timeouts.forkMs")
        try require(timeouts.changeMs, 1...day, "timeouts.changeMs")
        try require(timeouts.audioGraceMs, 0...day, "timeouts.audioGraceMs")
        try require(delivery.firstRetryMs, 0...day, "delivery.firstRetryMs")
        try require(delivery.longestRetryMs, 0...day, "delivery.longestRetryMs")
        try require(delivery.expiryMs, 1...day, "delivery.expiryMs")
        try require(delivery.memoryMs, 1...day, "delivery.memoryMs")
        if let interval = statisticsInterval, interval < .milliseconds(100) {
            throw .invalidConfiguration("statisticsInterval is \(interval); it has to be 100 ms or longer")
        }
        for (name, text) in [("displayName", displayName), ("address", address)] {
            guard let text, !SignalingLimits.isText(text) else { continue }
            throw .invalidConfiguration(
                "\(name) has \(text.utf8.count) bytes; it may have \(SignalingLimits.textBytes)")
        }
        try CallError.checkExtension(extensionData)
    }
}
