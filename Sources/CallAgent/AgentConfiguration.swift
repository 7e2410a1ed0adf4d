public import CallProtocol
public import MediaEngine

/// Everything that can be set on an agent, with its defaults.
public struct AgentConfiguration: Sendable {
    /// What calls send, and how.
    public var media: MediaConfiguration
    /// The early media policy of incoming calls, unless ``screenInvite`` returns another one.
    public var earlyMedia = EarlyMediaPolicy.guarded
    /// Decides about each invite before `ringing` is sent, a hook runs or a device is opened; nil lets every invite ring.
    ///
    /// Other calls continue while it decides. Its task is cancelled when the caller gives up or the invite's ring timeout is over.
    /// It has to return then, because its invite occupies a place until it does. While ``Agent/maximumPendingInvites`` invites
    /// wait for their decision, further ones are refused as busy.
    public var screenInvite: (@Sendable (IncomingInvite) async -> InviteDecision)?
    /// What ``Agent/prepare()`` already builds for the next call; nil: media is built with the call.
    ///
    /// This keeps a capture and sockets open between calls. It is rebuilt every 45 s, because addresses change. A call with other
    /// media does not use it.
    public var joinsAhead: JoinAhead?
    /// Whether this end itself sends `ringing` to a caller.
    ///
    /// Use false where the server sends it, and for a device whose presence must stay hidden.
    public var announcesRinging = true
    /// The time limits of a call: ring 30 s, connect 10 s, media lost 30 s.
    public var timeouts = CallTimeouts()
    /// How many calls the agent has at a time; further calls are answered "busy".
    ///
    /// Ringing calls count. 1 to 10,000.
    public var maximumCalls = 1
    /// How messages are repeated on a transport that does not guarantee delivery.
    public var delivery = DeliveryTiming()
    /// How often the peer of a ringing call is asked whether the call still exists, in ms; nil asks only after signaling was lost and restored.
    ///
    /// 1 to 86,400,000, like ``callAuditMs``.
    public var ringAuditMs: Int? = 5_000
    /// The same for an accepted call.
    public var callAuditMs: Int? = 30_000
    /// The caller's display name, sent to the peer; at most `SignalingLimits.textBytes` bytes.
    public var displayName: String?
    /// The caller's address (`user@domain`), sent to the peer; at most `SignalingLimits.textBytes` bytes.
    public var address: String?
    /// Application data that is sent with every invite, accept, reject, cancel and hangup.
    public var extensionData: [String: String] = [:]
    /// Called when calls ring, are connected and end.
    public var hooks: [any CallHook] = []
    /// How often each call reports ``CallEvent/statistics(_:)`` and updates swift-metrics; nil: never.
    ///
    /// Counters (`callagent_rtp_packets_received_total` and so on) are sums over all calls. Gauges
    /// (`callagent_received_kbit_per_second` and so on) have the labels `peer` and `call`, the call's id, and are removed when it
    /// ends. At least 100 ms.
    public var statisticsInterval: Duration?
    /// How many reports of ended calls are kept for ``Agent/report(callId:)``.
    public var keptReports = 256

    /// Uses this media configuration; everything else has its default.
    public init(media: MediaConfiguration) { self.media = media }

    /// Uses these sources; everything else has its default.
    public init(video: VideoSource? = .test(), audio: AudioSource? = .tone()) {
        media = MediaConfiguration(video: video, audio: audio)
    }

    /// The highest value of ``maximumCalls``.
    package static let largestMaximumCalls = 10_000

    /// Refuses invalid values.
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
