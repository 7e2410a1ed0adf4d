public import CallProtocol
internal import Logging
internal import Synchronization

/// One call, from the invite to its end.
///
/// ``CallMachine`` holds the rules. The call feeds it events in order and carries out its effects in order. Dropping the last
/// reference does not end the call; ``hangUp(text:extension:)`` does, and so does cancelling the task in ``waitUntilEnded()``.
public actor Call {
    /// The user at this end.
    public nonisolated let user: String
    /// The user at the other end.
    public nonisolated let peer: String

    var machine: CallMachine
    var timeline: CallTimeline
    var history = CallHistory()
    var acceptedAtCallee: ContinuousClock.Instant?
    let surroundings: Surroundings
    let logger: Logger
    let hub = EventHub<CallEvent>()
    nonisolated let identity: Mutex<CallIdentity>
    /// Where the received media goes, on whichever connection: recordings, windows, frames.
    nonisolated let outputs: CallOutputs
    var generations: CallGenerations
    nonisolated let channels = CallDataChannels()
    /// The sources that the user chose for this call instead of the agent's.
    var sources = CallSources()
    var timers: [CallTimer: Task<Void, Never>] = [:]
    /// Reports the statistics periodically.
    var sampling: Task<Void, Never>?
    /// How late the messages of the peer are.
    var messageLateness = MessageLateness()
    /// What the peer announced to send, as far as the media knows.
    var announcedMedia = MediaGates(audio: .live, video: .live)
    var holdKnowledge = HoldKnowledge()
    /// Whether the peer's audio is played.
    public internal(set) var isOutputOn = true
    var messagesSent = 0
    /// How many times the peer was asked whether the call still exists, since its last message.
    var auditsUnanswered = 0
    var isSignalingLost = false
    /// When the transport was last asked to check its connection because the path was silent.
    var signalingChecked: ContinuousClock.Instant?
    /// The sizes of the frames, by generation.
    var frameSizes: [Int: FrameSizes] = [:]
    /// The last sizes, of whichever generation, and how often they changed.
    var lastFrameSize = FrameSizes()
    var frameSizeChanges = (sent: 0, received: 0)
    var reportedAttributes: MediaAttributes?
    /// The digits that the peer pressed; only the first few hundred.
    var dtmfReceived = ""
    static let maximumDigits = 512
    /// Why a source of this end delivers nothing now, by medium.
    var captureFaults: [CaptureFault.Medium: CaptureFault] = [:]
    var extensionToSend: [String: String] = [:]
    /// What this end's application sent with the invite.
    var inviteExtensionSent: [String: String] = [:]
    /// The id and the invite of the peer's call, while this call takes them over.
    var adopting: (id: String, invite: SignalingMessage.Invite)?
    var closing: Task<Void, Never>?

    init(
        id: String, user: String, peer: String, machine: CallMachine, session: any MediaSession,
        start: ContinuousClock.Instant, invite: SignalingMessage.Invite? = nil, surroundings: Surroundings
    ) {
        self.user = user
        self.peer = peer
        self.machine = machine
        self.surroundings = surroundings
        outputs = session.outputs
        generations = CallGenerations(session)
        identity = Mutex(
            CallIdentity(
                callId: id, role: machine.role, room: invite?.room ?? surroundings.room,
                displayName: invite?.displayName, address: invite?.address))
        var logger = surroundings.logger
        logger[metadataKey: "call"] = "\(id)"
        self.logger = logger
        let age = ContinuousClock.now - start
        timeline = CallTimeline(start: start, startedUnixMs: surroundings.wallClock() - age.inMilliseconds)
    }

    // MARK: Who and what

    /// The call's id: random or chosen by the application, the same at both ends.
    ///
    /// When both users call each other at once, one of the two calls continues under the other's id.
    public nonisolated var id: String { identity.withLock { $0.callId } }

    package nonisolated var key: CallKey { CallKey(peer: peer, callId: id) }

    /// Which end this is; see ``id`` for when it changes.
    public nonisolated var role: CallRole { identity.withLock { $0.role } }

    /// The room of the call: unguessable and new for each call unless the application set one.
    public nonisolated var room: String? { identity.withLock { $0.room } }

    /// The caller's display name; nil at the caller and when the caller sent none.
    public nonisolated var callerDisplayName: String? { identity.withLock { $0.displayName } }

    /// The caller's address (`user@domain`), for display; nil at the caller and when the caller sent none.
    public nonisolated var callerAddress: String? { identity.withLock { $0.address } }

    /// Data that the caller's application sent with the invite; empty at the caller.
    ///
    /// Later data arrives as ``CallEvent/extensionData(_:)``.
    public nonisolated var inviteExtension: [String: String] { identity.withLock { $0.inviteExtension } }

    /// The media that the call has now.
    public var media: CallMedia { machine.media }

    /// The state of the call.
    public var state: CallState { machine.state }

    /// Who holds the call.
    public var holdState: HoldState { machine.hold }

    /// What this end sends.
    public var sends: MediaState { machine.sends }

    /// What the peer sends, as the peer reported it.
    public var peerSends: MediaState { machine.peerSends }

    /// How the call ended; nil while it has not.
    public var end: CallEnd? { machine.end }

    /// Events from now on, beginning with the current state; ends with the call.
    ///
    /// Every access returns a new stream.
    public nonisolated var events: AsyncStream<CallEvent> { hub.subscribe() }

    // MARK: Operations

    /// Accepts the call; the accept message says what this end sends.
    ///
    /// - Parameters:
    ///   - audio: how audio is sent from the beginning; nil keeps the current setting: on, or off without a source.
    ///   - video: the same for video.
    ///   - output: whether the peer's audio is played; see ``setOutput(_:)``.
    ///   - data: application data, sent with the accept.
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless it is ringing at its callee.
    public func accept(
        audio: MediaState.Sending? = nil, video: MediaState.Sending? = nil, output: Bool = true,
        extension data: [String: String] = [:]
    ) async throws(CallError) {
        // Before anything is sent or played, but not for a call that cannot be accepted.
        if machine.refusal(of: .accept) == nil {
            if audio != nil || video != nil { process(.setSending(audio: audio, video: video)) }
            if !output { await setOutput(false) }
        }
        try perform(.accept, "accept", data)
        acceptedAtCallee = timeline.instant(of: .accepted)
    }

    /// Refuses the call; 603 is "declined", 486 "busy".
    ///
    /// A code outside `SignalingLimits.codes` is sent as 603. The text is cut to the limit of a message. With 603 the call stops
    /// ringing at all devices of the user; 486 concerns this device only.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless it is ringing at its callee.
    public func reject(
        code: Int = EndReason.localRejected.code, text: String = "", extension data: [String: String] = [:]
    ) throws(CallError) {
        try perform(.reject(code: code, text: text), "reject", data)
    }

    /// Ends the call in any state: cancels or rejects it while it rings, and hangs up once it is accepted.
    ///
    /// Idempotent.
    public func hangUp(text: String = "") { process(.hangUp(text: text)) }

    /// Ends the call like ``hangUp(text:)``, and sends application data.
    ///
    /// - Throws: ``CallError/invalidExtension(_:)`` when the data cannot be sent; the call then continues.
    public func hangUp(text: String = "", extension data: [String: String]) throws(CallError) {
        try attach(data)
        hangUp(text: text)
    }

    /// Holds the call: this end sends nothing, shows and plays nothing of the peer, and notifies the peer.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless the call is connected, and while its media change.
    public func hold() throws(CallError) { try perform(.hold, "hold") }

    /// Resumes a call that this end holds; a hold by the peer stays.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless this end holds it.
    public func unhold() throws(CallError) { try perform(.unhold, "unhold") }

    /// Looks for another network path now, as after a change of the network (W3C's `restartIce()`).
    ///
    /// Media takes the present path until another one works. ``CallNotice/networkChangeStarted(by:)`` and
    /// ``CallNotice/networkChangeEnded(_:)`` report the search. Before the call is accepted, it begins with the accept.
    public func restartIce() {
        process(.media(.networkChanged, generation: machine.shown.number))
        surroundings.checkSignaling()
    }

    /// Sends audio, silence or nothing from now on, and notifies the peer.
    ///
    /// Allowed in every state; before the call is accepted, it takes effect with the accept.
    public func setAudio(_ sending: MediaState.Sending) { process(.setSending(audio: sending, video: nil)) }

    /// Sends video, black frames or nothing (the camera is then closed) from now on, and notifies the peer.
    ///
    /// Allowed in every state.
    public func setVideo(_ sending: MediaState.Sending) { process(.setSending(audio: nil, video: sending)) }

    /// Asks for other media in a running call, such as video in an audio call.
    ///
    /// The call continues unchanged until both ends receive each other's media on the new connection.
    /// ``CallNotice/mediaChanged(_:)`` or ``CallNotice/mediaChangeFailed(text:)`` reports the result. The peer sends its own video
    /// only when its user turns it on.
    ///
    /// - Throws: ``CallError/noMedia``, and ``CallError/wrongState(operation:state:)`` unless the call is connected, not held, and
    ///   no change is under way.
    public func changeMedia(to media: CallMedia) throws(CallError) {
        guard media.audio || media.video else { throw .noMedia }
        // A call has data channels from the beginning or not at all.
        let media = CallMedia(audio: media.audio, video: media.video, data: machine.media.data)
        try perform(.changeMedia(media), "change media")
    }

    /// Sends an application message to the application at the other end, where it arrives as ``CallNotice/info(_:)``.
    ///
    /// - Throws: ``CallError/tooLong(bytes:limit:)`` beyond `SignalingLimits.infoBytes`, and
    ///   ``CallError/wrongState(operation:state:)`` before the invite is sent and after the end.
    public func send(info content: String) throws(CallError) {
        guard content.utf8.count <= SignalingLimits.infoBytes else {
            throw .tooLong(bytes: content.utf8.count, limit: SignalingLimits.infoBytes)
        }
        try perform(.sendInfo(content), "send")
    }

    /// Attaches application data to the next message of this call, whatever its type.
    ///
    /// - Throws: ``CallError/invalidExtension(_:)`` when the data cannot be sent together with data that is already attached and
    ///   with ``AgentConfiguration/extensionData``. The data that is already attached stays.
    public func attach(_ data: [String: String]) throws(CallError) {
        let waiting = extensionToSend.merging(data) { $1 }
        // Checked in the form that is sent: a refused message would be lost, even an accept or a hang-up.
        try CallError.checkExtension(surroundings.extensionData.merging(waiting) { $1 })
        extensionToSend = waiting
    }

    /// Waits until the call is connected; returns at once if it already was.
    ///
    /// Cancelling the waiting task hangs up.
    /// - Throws: ``CallError/ended(_:)`` when the call ended before.
    public func waitUntilConnected() async throws(CallError) {
        if timeline.instant(of: .connected) != nil { return }
        let isConnected = await withTaskCancellationHandler {
            // A cancelled task would leave the loop at once, so another task waits.
            await Task {
                for await event in events {
                    if case .stateChanged(let change) = event, change.state == .connected { return true }
                }
                return false
            }.value
        } onCancel: {
            Task { await self.hangUp() }
        }
        // It may have been connected and interrupted before the events were read.
        guard !isConnected, timeline.instant(of: .connected) == nil else { return }
        throw .ended(machine.end ?? CallEnd(reason: .localHangup, by: .local))
    }

    /// Waits for the end of the call.
    ///
    /// Cancelling the waiting task hangs up.
    public func waitUntilEnded() async -> CallEnd {
        await withTaskCancellationHandler {
            // A cancelled task would leave the loop at once, so another task waits.
            await Task { for await _ in events {} }.value
        } onCancel: {
            Task { await self.hangUp() }
        }
        return machine.end ?? CallEnd(reason: .localHangup, by: .local)
    }

    /// Everything that this end knows about the call, now or after its end.
    public func report() async -> CallReport {
        var statistics = await generations.report()
        statistics.video?.sent.frameSizeChanges = frameSizeChanges.sent
        statistics.video?.received.frameSizeChanges = frameSizeChanges.received
        addBroken(to: &statistics)
        return CallReport(
            callId: id, role: role, user: user, peer: peer, room: room, media: media, sends: machine.sends,
            state: machine.state,
            end: machine.end, hold: machine.hold, timeline: timeline, records: history.records,
            recordsLeftOut: history.leftOut, warnings: history.warnings,
            recordingFault: history.recordingFault,
            acceptedAtCallee: acceptedAtCallee, dtmfReceived: dtmfReceived,
            captureFaults: captureFaults.values.sorted { $0.medium.rawValue < $1.medium.rawValue },
            statistics: statistics,
            inviteExtension: inviteExtensionSent)
    }

    private func perform(
        _ operation: CallMachine.Event, _ name: String, _ data: [String: String] = [:]
    ) throws(CallError) {
        if machine.state == .ended || machine.refusal(of: operation) != nil {
            throw .wrongState(operation: name, state: "the \(role) of a call that is \(machine.stateText)")
        }
        if !data.isEmpty { try attach(data) }
        process(operation)
    }
}
