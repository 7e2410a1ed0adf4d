public import CallProtocol
internal import Logging
internal import Synchronization

/// One call, from the invite to its end.
///
/// The rules are in ``CallMachine``; this runs it: events go in, in order, and effects are carried out, in order. Dropping the
/// last reference does not end the call; ``hangUp(text:extension:)`` does, and so does cancelling the task in ``waitUntilEnded()``.
public actor Call {
    /// The user at this end.
    public nonisolated let user: String
    /// The user at the other end.
    public nonisolated let peer: String

    var machine: CallMachine
    var timeline: CallTimeline
    var records: [CallRecord] = []
    var acceptedAtCallee: ContinuousClock.Instant?
    let surroundings: Surroundings
    let logger: Logger
    let hub = EventHub<CallEvent>()
    nonisolated let identity: Mutex<CallIdentity>
    var generations: [Int: GenerationMedia] = [:]
    /// The media of the first generation, which its agent has made already.
    var firstSession: (any MediaSession)?
    /// What the user chose to send instead of what the agent's calls send.
    var sources = CallSources()
    /// The media that is reported on: the one that was shown last.
    var reported: GenerationMedia?
    var timers: [CallTimer: Task<Void, Never>] = [:]
    /// What tells the statistics every so often.
    var sampling: Task<Void, Never>?
    /// Whether the sound of the peer is played.
    public internal(set) var isOutputOn = true
    var messagesSent = 0
    /// How many times the peer was asked whether the call is still there since it last said anything.
    var auditsUnanswered = 0
    var isSignalingLost = false
    /// The sizes of the pictures, by generation.
    var pictures: [Int: PictureSizes] = [:]
    var toldAttributes: MediaAttributes?
    /// The keys that the peer pressed, the first some hundreds.
    var keysReceived = ""
    var extensionToSend: [String: String] = [:]
    /// What this end's application sent with the invite.
    var inviteExtensionSent: [String: String] = [:]
    /// The id and the invite of the peer's call, while this one takes them over.
    var adopting: (id: String, invite: SignalingMessage.Invite)?
    var closing: Task<Void, Never>?
    /// Generations that were replaced, while they are closed.
    var closingGenerations: [Task<Void, Never>] = []

    init(
        id: String, user: String, peer: String, machine: CallMachine, session: any MediaSession,
        start: ContinuousClock.Instant, invite: SignalingMessage.Invite? = nil, surroundings: Surroundings
    ) {
        self.user = user
        self.peer = peer
        self.machine = machine
        self.surroundings = surroundings
        firstSession = session
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

    /// Random or the application's own, the same at both ends.
    ///
    /// When both users call each other at once, one of the two calls goes on under the id of the other.
    public nonisolated var id: String { identity.withLock { $0.callId } }

    nonisolated var key: CallKey { CallKey(peer: peer, callId: id) }

    /// Which end this is; see ``id`` for when it changes.
    public nonisolated var role: CallRole { identity.withLock { $0.role } }

    /// The room of the call: unguessable and new for each call unless the application set one.
    public nonisolated var room: String? { identity.withLock { $0.room } }

    /// What the caller calls itself, for people; nil at the caller and when it said nothing.
    public nonisolated var callerDisplayName: String? { identity.withLock { $0.displayName } }

    /// The caller's address (`user@domain`), for people; nil at the caller and when it said nothing.
    public nonisolated var callerAddress: String? { identity.withLock { $0.address } }

    /// Data of the caller's application that came with the invite; empty at the caller.
    ///
    /// What comes later is ``CallEvent/extensionData(_:)``.
    public nonisolated var inviteExtension: [String: String] { identity.withLock { $0.inviteExtension } }

    /// What the call has at present.
    public var media: CallMedia { machine.media }

    /// Where the call is.
    public var state: CallState { machine.state }

    /// Who holds the call.
    public var holdState: HoldState { machine.hold }

    /// What this end sends.
    public var sends: MediaState { machine.sends }

    /// What the peer told that it sends.
    public var peerSends: MediaState { machine.peerSends }

    /// How the call ended; nil while it has not.
    public var end: CallEnd? { machine.end }

    /// What happens from now on, beginning with the present state; ends with the call.
    ///
    /// Every access gives a stream of its own.
    public nonisolated var events: AsyncStream<CallEvent> { hub.subscribe() }

    // MARK: Operations

    /// Takes the call; the caller is told with the accept what is sent.
    ///
    /// - Parameters:
    ///   - audio: what is sent of the sound from the beginning; nil leaves it as it is: on, or off without a source.
    ///   - video: the same of the pictures.
    ///   - output: whether the sound of the peer is played; see ``setOutput(_:)``.
    ///   - data: goes with the accept.
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
    /// A code outside `SignalingLimits.codes` is sent as 603. The text is cut to what a message holds. With 603 the call stops
    /// ringing at all devices of the user; 486 is about this device alone.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless it is ringing at its callee.
    public func reject(
        code: Int = EndReason.localRejected.code, text: String = "", extension data: [String: String] = [:]
    ) throws(CallError) {
        try perform(.reject(code: code, text: text), "reject", data)
    }

    /// Ends the call, whatever its state: cancels what rings, rejects what came in, hangs up what was accepted.
    ///
    /// Idempotent.
    public func hangUp(text: String = "") { process(.hangUp(text: text)) }

    /// Ends the call as ``hangUp(text:)`` does, with data of the application's own.
    ///
    /// - Throws: ``CallError/invalidExtension(_:)`` when the data cannot be sent; the call goes on then.
    public func hangUp(text: String = "", extension data: [String: String]) throws(CallError) {
        try attach(data)
        hangUp(text: text)
    }

    /// Holds the call: nothing is sent, nothing of the peer is shown or played, and the peer is told.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless it is connected, and while its media change.
    public func hold() throws(CallError) { try perform(.hold, "hold") }

    /// Takes up a call that this end holds; what the peer holds stays held.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` unless this end holds it.
    public func unhold() throws(CallError) { try perform(.unhold, "unhold") }

    /// Sends sound, silence or nothing from now on; the peer is told.
    ///
    /// Legal in every state; before the call is accepted it holds from the accept on.
    public func setAudio(_ sending: MediaState.Sending) { process(.setSending(audio: sending, video: nil)) }

    /// Sends pictures, black ones or nothing from now on, the camera closed with the last; the peer is told.
    ///
    /// Legal in every state.
    public func setVideo(_ sending: MediaState.Sending) { process(.setSending(audio: nil, video: sending)) }

    /// Asks for other media in a running call, such as pictures in a call of sound.
    ///
    /// The call goes on as it is until both ends have each other's media on the new connection; ``CallNotice/mediaChanged(_:)`` or
    /// ``CallNotice/mediaChangeFailed(text:)`` tells. The peer sends pictures of its own only when its user turns them on.
    ///
    /// - Throws: ``CallError/noMedia``, and ``CallError/wrongState(operation:state:)`` unless it is connected, not held, and nothing changes.
    public func changeMedia(to media: CallMedia) throws(CallError) {
        guard media.audio || media.video else { throw .noMedia }
        try perform(.changeMedia(media), "change media")
    }

    /// Sends a message of the application's own to the application at the other end; it comes as ``CallNotice/info(_:)``.
    ///
    /// - Throws: ``CallError/tooLong(bytes:limit:)`` beyond `SignalingLimits.infoBytes`, and
    ///   ``CallError/wrongState(operation:state:)`` before the invite is out and after the end.
    public func send(info content: String) throws(CallError) {
        guard content.utf8.count <= SignalingLimits.infoBytes else {
            throw .tooLong(bytes: content.utf8.count, limit: SignalingLimits.infoBytes)
        }
        try perform(.sendInfo(content), "send")
    }

    /// Data of the application's own that goes with the next message of this call, whichever it is.
    ///
    /// - Throws: ``CallError/invalidExtension(_:)`` when it cannot be sent together with what waits already and with
    ///   ``CallAgentConfiguration/extensionData``; what waits stays as it is.
    public func attach(_ data: [String: String]) throws(CallError) {
        let waiting = extensionToSend.merging(data) { $1 }
        // Checked as it is sent: a message that is refused would be lost, and an accept or a hang-up with it.
        try CallError.checkExtension(surroundings.extensionData.merging(waiting) { $1 })
        extensionToSend = waiting
    }

    /// Waits for the end of the call.
    ///
    /// Cancelling the waiting task hangs up.
    public func waitUntilEnded() async -> CallEnd {
        await withTaskCancellationHandler {
            // A cancelled task would leave the loop at once, so the waiting is done by one that is not.
            await Task { for await _ in events {} }.value
        } onCancel: {
            Task { await self.hangUp() }
        }
        return machine.end ?? CallEnd(reason: .localHangup, by: .local)
    }

    /// Everything that this end knows of the call, now or after its end.
    public func report() async -> CallReport {
        let statistics = await reported?.report() ?? MediaReport()
        return CallReport(
            callId: id, role: role, user: user, peer: peer, room: room, media: media, state: machine.state,
            end: machine.end, hold: machine.hold, timeline: timeline, records: records,
            acceptedAtCallee: acceptedAtCallee, keysReceived: keysReceived, statistics: statistics,
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
