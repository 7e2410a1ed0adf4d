public import CallProtocol

/// The rules of one call, seen from one end: no clock, no task, no media, no transport.
///
/// Feed it every ``Event`` in the order in which it happened, and carry out the returned ``Effect``s in order. Late, duplicate and
/// impossible events are normal on a network. Whatever a peer sends, their only effect is a log line.
public struct CallMachine: Sendable, Equatable {
    /// How far the two ends have agreed.
    ///
    /// "Connected" is not a phase: ``state`` derives it.
    enum Phase: Sendable, Equatable {
        /// Nothing happened yet. Can transition to: calling (caller), ringing (callee), ended.
        case idle
        /// The caller waits for the callee's first message. Can transition to: ringing, accepted, ended.
        case calling
        /// The callee's device rings. Can transition to: accepted, ended.
        case ringing
        /// Both ends agreed to the call. Can transition to: ended.
        case accepted
        /// Over. Can transition to nothing.
        case ended(CallEnd)
    }

    /// Which end this is; a caller that yields to the peer's own call becomes its callee.
    public internal(set) var role: CallRole
    /// What a callee allows while it rings; unused at a caller.
    public let earlyMedia: EarlyMediaPolicy
    /// The name of this end's device; nil when the transport has no devices.
    let device: String?
    let timeouts: CallTimeouts

    var phase = Phase.idle
    /// The peer connection that the call is on.
    var current: Generation
    /// The connection that replaces it, once both ends receive the other's media on it.
    var next: Generation?
    /// The highest generation number so far; none is used twice.
    var highest = 0
    /// What this end's user chose to send.
    var own: MediaState
    /// The state that was last sent to the peer.
    var sentState = MediaState()
    /// A state was sent to all devices of the peer, so the one that accepts may have missed it.
    var isStateSentToAll = false
    /// What the peer sends, as it reported.
    var peer: MediaState
    /// The device of the peer that messages go to; nil for all of them.
    var peerDevice: String?
    /// The devices of the callee that ring.
    var ringingDevices: Set<String> = []
    /// The farewell of the last device that refused, while others may still ring.
    var refusal: SignalingMessage.Farewell?
    /// The audio of an accepted call has arrived, its video has not.
    var isWaitingForVideo = false
    /// The call no longer waits for video: audio has been there for long enough.
    var isVideoWaived = false
    /// Accepted, and the peer was seen or heard.
    var hasFirstFrame = false
    /// The user got the event that nothing of the peer arrives.
    var isInterrupted = false
    /// Whether the peer's signaling connection is there.
    var peerPresence = PeerPresence.here
    /// The media that this end has no source of.
    var sourceless: Set<CaptureFault.Medium>
    /// Whether this end takes part in data channels.
    let allowsData: Bool
    /// The media that this end, the callee, asked the caller for; nil when it waits for none.
    var askedMedia: CallMedia?
    var isAskingForMedia: Bool { askedMedia != nil }
    /// The media that the callee asked for before this end, the caller, was connected.
    var requestedMedia: CallMedia?
    /// How many connections that failed at this end were replaced.
    var replacements = 0

    /// Begins a call.
    ///
    /// `earlyMedia` is the policy of a callee. `device` is the name of this end's device (nil when the transport has no devices).
    /// `sends` is what this end sends at the beginning. `sourceless` has the media that this end has no source of: it cannot send them.
    public init(
        role: CallRole, media: CallMedia, earlyMedia: EarlyMediaPolicy = .guarded,
        timeouts: CallTimeouts = CallTimeouts(), device: String? = nil, sends: MediaState = MediaState(),
        sourceless: Set<CaptureFault.Medium> = [], allowsData: Bool = false
    ) {
        self.role = role
        self.earlyMedia = earlyMedia
        self.timeouts = timeouts
        self.device = device
        self.sourceless = sourceless
        self.allowsData = allowsData
        current = Generation(number: 0, media: media.allowingData(allowsData))
        own = sends
        // A source that is chosen later is not sent before its user wants that.
        if sourceless.contains(.audio) { own.audio = .off }
        if sourceless.contains(.video) { own.video = .off }
        peer = MediaState()
    }

    /// The media of the call.
    public var media: CallMedia { shown.media }

    /// What this end sends now: what its user chose, without failed tracks and without what has no source.
    public var sends: MediaState { sends(on: shown) }

    func sends(on generation: Generation) -> MediaState {
        var sends = own
        if generation.hasFailed(.audio, .sending) || sourceless.contains(.audio) { sends.audio = .off }
        if generation.hasFailed(.video, .sending) || sourceless.contains(.video) { sends.video = .off }
        return sends
    }

    /// What the peer sends, as it reported.
    public var peerSends: MediaState { peer }

    /// Who holds the call.
    public var hold: HoldState {
        switch (own.isHolding, peer.isHolding) {
        case (false, false): .none
        case (true, false): .held
        case (false, true): .remotelyHeld
        case (true, true): .both
        }
    }

    /// The state of the call, for its user.
    public var state: CallState {
        switch phase {
        case .idle, .calling: .calling
        case .ringing: .ringing
        case .accepted: hasFirstFrame ? (shown.isInterrupted ? .reconnecting : .connected) : .connecting
        case .ended: .ended
        }
    }

    /// How the call ended; nil while it has not.
    public var end: CallEnd? { if case .ended(let end) = phase { end } else { nil } }

    /// The peer connection whose media is shown, or would be.
    var shown: Generation { next.flatMap { $0.isCommittedHere ? $0 : nil } ?? current }

    /// The call was placed, or its invite arrived.
    var isBegun: Bool { phase != .idle }

    /// The caller's invite was sent.
    var isInviteSent: Bool { role == .caller && (current.isOffered || current.number > 0) }

    /// Applies one event.
    public mutating func handle(_ event: Event) -> [Effect] {
        if end != nil { return [] }
        var effects = apply(event)
        if end == nil { effects += advance() }
        // After the end nothing else changes.
        guard end == nil else { return effects }
        let gates = changedGates()
        // The user gets events after the gates have changed.
        return effects.filter { !$0.isReported } + gates + effects.filter(\.isReported)
    }

    private mutating func apply(_ event: Event) -> [Effect] {
        switch event {
        case .received(let body, let generation, let device):
            return handleMessage(body, generation: generation, device: device)
        case .media(let fact, let generation): return handleMedia(fact, generation: generation)
        case .timerFired(let timer): return handleTimer(timer)
        case .yield(let invite, let device): return yield(to: invite, device: device)
        case .inviteFailed(let text):
            guard role == .caller, phase == .calling else { return [.ignored("a message was not sent: \(text)")] }
            return leave(.signalingFailed, .init(code: EndReason.signalingFailed.code, text: text), by: .local)
        case .signalingLost: return [.notify(.signalingLost)]
        case .signalingRestored: return [.notify(.signalingRestored)] + audit()
        case .audit: return audit()
        default: return handleUser(event)
        }
    }

    /// Asks the peer whether the call still exists: it may have ended without a message, or the message was lost.
    ///
    /// Silence does not end a call: the peer's media shows whether it is alive.
    private func audit() -> [Effect] {
        switch phase {
        case .ringing, .accepted: [send(.query)]
        case .idle, .calling, .ended: []
        }
    }

    // MARK: Changes of state

    mutating func enter(_ next: Phase, _ reason: ChangeReason, by party: CallParty) -> [Effect] {
        phase = next
        return [report(reason, by: party)]
    }

    mutating func enterAccepted(_ reason: ChangeReason = .accepted, by party: CallParty) -> [Effect] {
        phase = .accepted
        let accepted: [Effect] = [.cancelTimer(.ring)]
        if hasMedia(current) { return accepted + connect(reason, by: party) }
        return accepted + start(.connect) + [report(reason, by: party)]
    }

    /// No media of the peer is shown or played before this.
    private mutating func connect(_ reason: ChangeReason, by party: CallParty) -> [Effect] {
        hasFirstFrame = true
        return [.cancelTimer(.connect), report(reason, by: party)]
    }

    /// Applies what follows from the facts, in whatever order they arrived.
    private mutating func advance() -> [Effect] {
        let before = sendChangedState()
        let effects = updateMediaState()
        // A change of media that begins with the first frame changes what this end sends.
        return before + effects + sendChangedState()
    }

    private mutating func sendChangedState() -> [Effect] {
        guard sendsStateChanges, let news = takeUnsentState() else { return [] }
        // Some devices may have missed it.
        if peerDevice == nil { isStateSentToAll = true }
        return [send(.state(news))]
    }

    /// Whether changes are sent to the peer at once; before that, the invite or the accept carries them.
    private var sendsStateChanges: Bool { role == .caller ? isInviteSent : phase == .accepted && !isAcceptPending }

    /// A callee accepted, and the accept message waits for the SDP answer.
    var isAcceptPending: Bool { role == .callee && phase == .accepted && !current.isAnswered && current.number == 0 }

    /// What this end sends, if the peer does not know it yet.
    mutating func takeUnsentState() -> MediaState? {
        guard sends != sentState else { return nil }
        sentState = sends
        return sentState
    }

    /// What this end sends, for a device that may have missed a message to all.
    mutating func repeatState() -> Effect {
        sentState = sends
        return send(.state(sentState))
    }

    /// The state for an accept, always complete: earlier states may have been sent with another device's answer.
    mutating func stateForAccept() -> MediaState? {
        sentState = sends
        return sentState == MediaState() ? nil : sentState
    }

    private mutating func updateMediaState() -> [Effect] {
        // A closed signaling connection ends the call only when nothing arrives.
        if peerPresence == .gone, shown.isInterrupted || !shown.isVerified { return finish(.remoteLost, by: .peer) }
        guard phase == .accepted else { return [] }
        return beginWantedRestart() + updateConnection()
    }

    private mutating func updateConnection() -> [Effect] {
        if !hasFirstFrame {
            if hasMedia(current) { return connect(.firstFrame, by: .peer) + commit() + offerRequestedMedia() }
            return waitForVideo()
        }
        return commit() + noteInterruption()
    }

    private mutating func noteInterruption() -> [Effect] {
        guard isInterrupted != shown.isInterrupted else { return [] }
        isInterrupted.toggle()
        if isInterrupted {
            return start(.mediaLost) + [report(.interrupted, by: shown.failure == nil ? .peer : .local)]
        }
        return [.cancelTimer(.mediaLost), report(.resumed, by: .peer)]
    }

    /// Audio has arrived, but no video frame yet.
    private mutating func waitForVideo() -> [Effect] {
        guard current.hasAudioSample, !isWaitingForVideo else { return [] }
        isWaitingForVideo = true
        return start(.audioGrace)
    }

    /// Whether the peer's first media arrived on `generation`: a video frame, or audio in a call without video.
    func hasMedia(_ generation: Generation) -> Bool {
        // Interrupted media has to arrive again.
        if generation.isInterrupted { return false }
        // During a hold nobody sends anything.
        if hold != .none { return generation.isVerified }
        if generation.media.video, peer.video != .off, !generation.hasFailed(.video, .receiving) {
            return generation.hasVideoFrame || isVideoWaived && generation.hasAudioSample
        }
        if generation.media.audio, peer.audio != .off, !generation.hasFailed(.audio, .receiving) {
            return generation.hasAudioSample
        }
        return generation.isVerified
    }

    // MARK: Effects

    /// A message to the peer about the current peer connection.
    func send(_ body: SignalingMessage.Body) -> Effect { send(body, of: current) }

    func send(_ body: SignalingMessage.Body, of generation: Generation) -> Effect {
        .send(body, to: Address(device: peerDevice, generation: generation.number))
    }

    func report(_ reason: ChangeReason, by party: CallParty) -> Effect {
        .report(CallStateChange(state: state, reason: reason, by: party))
    }

    func start(_ timer: CallTimer) -> [Effect] {
        timeouts.milliseconds(timer).map { [.startTimer(timer, milliseconds: $0)] } ?? []
    }
}
