public import CallProtocol

/// The rules of one call, seen from one end: no clock, no task, no media, no transport.
///
/// Feed it every ``Event`` in the order in which it happened and carry out the returned ``Effect``s in order. Late, duplicate and
/// impossible events are normal on a network: they give no effect but a line for the log, whatever a peer sends.
public struct CallMachine: Sendable, Equatable {
    /// How far the two ends have agreed.
    ///
    /// "Connected" is no phase: it is derived in ``state``.
    enum Phase: Sendable, Equatable {
        /// Nothing happened yet. Can transition to: calling (caller), ringing (callee), ended.
        case idle
        /// The caller waits for any sign of the callee. Can transition to: ringing, accepted, ended.
        case calling
        /// The callee's device rings. Can transition to: accepted, ended.
        case ringing
        /// Both want the call. Can transition to: ended.
        case accepted
        /// Over. Can transition to nothing.
        case ended(CallEnd)
    }

    /// Which end this is; a caller that yields to the peer's own call becomes its callee.
    public internal(set) var role: CallRole
    /// What a callee lets happen while it rings; means nothing at a caller.
    public let earlyMedia: EarlyMediaPolicy
    /// The name of this end's device; nil when the transport knows none.
    let device: String?
    let timeouts: CallTimeouts

    var phase = Phase.idle
    /// The peer connection that the call is on.
    var current: Generation
    /// The one that is to take its place, once both ends have the other's media on it.
    var next: Generation?
    /// The highest number of any generation so far; none is used twice.
    var highest = 0
    /// What this end's user wants to send.
    var own: MediaState
    /// What the peer was told of that.
    var told = MediaState()
    /// Some of it was told to all devices of the peer, so that the one which accepts may have missed it.
    var isToldToAll = false
    /// What the peer told that it sends.
    var peer: MediaState
    /// The device of the peer that messages go to; nil for all of them.
    var peerDevice: String?
    /// The devices of the callee that ring.
    var ringingDevices: Set<String> = []
    /// What the last device that refused said, while others may still ring.
    var refusal: SignalingMessage.Farewell?
    /// The sound of an accepted call is there, and its picture is not.
    var isWaitingForPicture = false
    /// Nobody waits for the picture any more: the sound has been there for long enough.
    var isPictureWaived = false
    /// Accepted, and the peer was seen or heard.
    var hasFirstFrame = false
    /// The user was told that nothing of the peer arrives.
    var isInterrupted = false
    /// The peer's signaling connection closed, and nothing came from it since.
    var isPeerGone = false
    /// The callee asked the caller for other media.
    var isAskingForMedia = false

    /// Begins a call.
    ///
    /// `earlyMedia` is the policy of a callee, `device` the name of this end's device (nil when the transport knows none), and `sends` what this end
    /// sends at the beginning.
    public init(
        role: CallRole, media: CallMedia, earlyMedia: EarlyMediaPolicy = .guarded,
        timeouts: CallTimeouts = CallTimeouts(), device: String? = nil, sends: MediaState = MediaState()
    ) {
        self.role = role
        self.earlyMedia = earlyMedia
        self.timeouts = timeouts
        self.device = device
        current = Generation(number: 0, media: media)
        own = sends
        peer = MediaState()
    }

    /// What the call has.
    public var media: CallMedia { shown.media }

    /// What this end sends at present: what its user wants, without what failed.
    public var sends: MediaState { sends(on: shown) }

    func sends(on generation: Generation) -> MediaState {
        var sends = own
        if generation.hasFailed(.audio, .sending) { sends.audio = .off }
        if generation.hasFailed(.video, .sending) { sends.video = .off }
        return sends
    }

    /// What the peer told that it sends.
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

    /// Where the call is, for its user.
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

    /// The peer connection that is shown, or would be.
    var shown: Generation { next.flatMap { $0.isCommittedHere ? $0 : nil } ?? current }

    /// The call was placed, or its invite came.
    var isBegun: Bool { phase != .idle }

    /// The caller's invite went out.
    var isInviteSent: Bool { role == .caller && (current.isOffered || current.number > 0) }

    /// Applies one event.
    public mutating func handle(_ event: Event) -> [Effect] {
        if end != nil { return [] }
        var effects = apply(event)
        if end == nil { effects += settle() }
        // The end has said everything.
        guard end == nil else { return effects }
        let gates = changedGates()
        // The user is told when it is so.
        return effects.filter { !$0.isTold } + gates + effects.filter(\.isTold)
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

    /// Asks the peer whether the call is still there: it may have ended without a word, or with one that was lost.
    ///
    /// Silence ends no call: the peer's media says whether it lives.
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

    /// Nothing of the peer is seen or heard before this.
    private mutating func connect(_ reason: ChangeReason, by party: CallParty) -> [Effect] {
        hasFirstFrame = true
        return [.cancelTimer(.connect), report(reason, by: party)]
    }

    /// What follows from the facts, whichever of them came last.
    private mutating func settle() -> [Effect] {
        guard isTellingChanges, let news = tell() else { return settleMedia() }
        // Not every device may have heard it.
        if peerDevice == nil { isToldToAll = true }
        return [send(.state(news))] + settleMedia()
    }

    /// Whether the peer is told at once what changes; before that, the invite or the accept says it.
    private var isTellingChanges: Bool { role == .caller ? isInviteSent : phase == .accepted && !isAcceptOwed }

    /// A callee accepted, and its accept waits for its answer.
    var isAcceptOwed: Bool { role == .callee && phase == .accepted && !current.isAnswered && current.number == 0 }

    /// What this end sends, if the peer does not know it yet.
    mutating func tell() -> MediaState? {
        guard sends != told else { return nil }
        told = sends
        return told
    }

    /// What this end sends, for a device that may have missed what was told to all.
    mutating func tellAgain() -> Effect {
        told = sends
        return send(.state(told))
    }

    /// The same for an accept, which says everything again: what went before it may have been for another device's answer.
    mutating func tellWithAccept() -> MediaState? {
        told = sends
        return told == MediaState() ? nil : told
    }

    private mutating func settleMedia() -> [Effect] {
        // A closed signaling connection ends the call only when the media is silent too.
        if isPeerGone, shown.isInterrupted { return finish(.remoteLost, by: .peer) }
        guard phase == .accepted else { return [] }
        if !hasFirstFrame {
            if hasMedia(current) { return connect(.firstFrame, by: .peer) + commit() }
            return waitForPicture()
        }
        return commit() + noteInterruption()
    }

    private mutating func noteInterruption() -> [Effect] {
        guard isInterrupted != shown.isInterrupted else { return [] }
        isInterrupted.toggle()
        if isInterrupted { return start(.mediaLost) + [report(.interrupted, by: .peer)] }
        return [.cancelTimer(.mediaLost), report(.resumed, by: .peer)]
    }

    /// Sound, and no picture yet.
    private mutating func waitForPicture() -> [Effect] {
        guard current.hasSound, !isWaitingForPicture else { return [] }
        isWaitingForPicture = true
        return start(.audioGrace)
    }

    /// Whether `generation` has of the peer what the peer sends first: a picture, or in a call without pictures a sound.
    func hasMedia(_ generation: Generation) -> Bool {
        // What was there and is there no more is waited for.
        if generation.isInterrupted { return false }
        // Whoever holds sends nothing.
        if peer.isHolding { return generation.isVerified }
        if generation.media.video, peer.video != .off, !generation.hasFailed(.video, .receiving) {
            return generation.hasPicture || isPictureWaived && generation.hasSound
        }
        if generation.media.audio, peer.audio != .off, !generation.hasFailed(.audio, .receiving) {
            return generation.hasSound
        }
        return generation.isVerified
    }

    // MARK: Words for the shell

    /// A message to the peer about the present peer connection.
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
