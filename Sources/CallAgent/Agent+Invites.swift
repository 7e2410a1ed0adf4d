internal import CallProtocol
internal import FoundationEssentials
internal import Logging

/// An invite that does not ring yet: the application is deciding about it, or its media is being made.
struct PendingInvite {
    /// Decides and makes the call.
    var task: Task<Void, Never>?
    /// Later messages of the caller, kept for the call.
    var messages: [SignalingMessage] = []

    /// How many messages are kept; more are dropped.
    static let maximumMessages = 256
}

/// The handling of incoming calls.
extension Agent {
    /// How many invites may wait for a decision or their media; one more is refused as busy.
    public static let maximumPendingInvites = 64

    /// Handles an invite in a task of its own: a slow decision delays no other call.
    func begin(_ invite: SignalingMessage.Invite, _ message: SignalingMessage, _ line: SignalingLine) {
        guard phase == .prepared else { return }
        let key = message.receivedKey
        guard !takesNoCalls, pendingInvites.count < Self.maximumPendingInvites else {
            return refuseAsBusy(message, line)
        }
        let start = ContinuousClock.now
        pendingInvites[key] = PendingInvite()
        pendingInvites[key]?.task = Task { await self.ring(invite, message, line, since: start) }
    }

    private func ring(
        _ invite: SignalingMessage.Invite, _ message: SignalingMessage, _ line: SignalingLine,
        since start: ContinuousClock.Instant
    ) async {
        let decision = await decide(invite, message)
        // The caller gave up meanwhile, or this end signs out.
        guard !Task.isCancelled, phase == .prepared else { return }
        switch decision {
        case .refuse(let code, let text):
            let code = SignalingLimits.codes.contains(code) ? code : EndReason.localRejected.code
            pendingInvites[message.receivedKey] = nil
            hub.yield(.inviteRefused(peer: message.from, callId: message.callId, code: code))
            answer(message, .reject(.init(code: code, text: SignalingLimits.bounded(text))), line)
        case .ring(let policy):
            await makeRing(invite, message, line, policy: policy ?? configuration.earlyMedia, since: start)
        }
    }

    /// Asks the application about an invite, within the time that it may ring.
    private func decide(_ invite: SignalingMessage.Invite, _ message: SignalingMessage) async -> InviteDecision {
        guard let screen = configuration.screenInvite else { return .ring() }
        let incoming = IncomingInvite(
            callId: message.callId, peer: message.from, displayName: invite.displayName, address: invite.address,
            media: invite.media, room: invite.room, extensionData: message.extensionData)
        let late = InviteDecision.refuse(
            code: EndReason.ringTimeout.code, text: "nobody decided about the call in time")
        let limit = Duration.milliseconds(min(invite.ringTimeoutMs, configuration.timeouts.ringMs))
        return await withTaskGroup(of: InviteDecision?.self) { [sleep] group in
            group.addTask { await screen(incoming) }
            group.addTask { (try? await sleep(limit)) == nil ? nil : late }
            defer { group.cancelAll() }
            return await group.next().flatMap(\.self) ?? late
        }
    }

    private func makeRing(
        _ invite: SignalingMessage.Invite, _ message: SignalingMessage, _ line: SignalingLine,
        policy: EarlyMediaPolicy, since start: ContinuousClock.Instant
    ) async {
        let key = message.receivedKey
        // An early check, before anything is built; the registry decides later.
        guard !calls.isFull else { return refuse(message, line) }
        let machine = CallMachine(
            role: .callee, media: invite.media, earlyMedia: policy, timeouts: configuration.timeouts,
            device: line.device, sends: initialState, sourceless: configuration.media.sourceless,
            allowsData: configuration.media.allowsDataChannels)
        do throws(CallError) {
            let call = try await makeCall(
                id: message.callId, peer: message.from, machine: machine, line: line, start: start, invite: invite,
                unless: { Task.isCancelled || self.calls.route(message, unixMs: message.sentUnixMs) != .ring })
            // Something changed while the media was made: for example, this end's user called the same peer.
            guard let call else { return await reroute(message, line) }
            await call.start(invite: invite, device: message.device, extension: message.extensionData)
            incoming.yield(call)
            while let next = nextMessage(of: key) { await call.receive(next) }
        } catch .tooManyCalls {
            refuse(message, line)
        } catch {
            pendingInvites[key] = nil
            logger.error("cannot take a call of \(message.from): \(error)")
            answer(message, .reject(.init(code: EndReason.remoteFailed.code, text: "")), line)
        }
    }

    /// The next message that waited for a call; after the last one, the call gets its messages directly.
    private func nextMessage(of key: CallKey) -> SignalingMessage? {
        guard let pending = pendingInvites[key], !pending.messages.isEmpty else {
            pendingInvites[key] = nil
            return nil
        }
        return pendingInvites[key]?.messages.removeFirst()
    }

    /// Routes the invite and its later messages again, unless its caller gave up.
    private func reroute(_ message: SignalingMessage, _ line: SignalingLine) async {
        guard let pending = pendingInvites.removeValue(forKey: message.receivedKey), !Task.isCancelled else { return }
        for message in [message] + pending.messages { await receive(message, line) }
    }

    private func refuse(_ message: SignalingMessage, _ line: SignalingLine) {
        pendingInvites[message.receivedKey] = nil
        refuseAsBusy(message, line)
    }

    /// What a callee sends at the beginning: `off` without a camera or a microphone.
    private var initialState: MediaState {
        MediaState(
            audio: configuration.media.audio == nil ? .off : .on, video: configuration.media.video == nil ? .off : .on)
    }

    /// Keeps a message of a pending invite for its call.
    ///
    /// - Returns: False when there is no such invite.
    func keep(_ message: SignalingMessage) -> Bool {
        let key = message.receivedKey
        guard let pending = pendingInvites[key] else { return false }
        switch message.body {
        // A repeated invite.
        case .invite: break
        case .cancel, .hangup, .reject:
            // The routing records that the call is over, unless it has just been made.
            if case .call = calls.route(message, unixMs: 0) {
                pendingInvites[key]?.messages.append(message)
                break
            }
            pending.task?.cancel()
            pendingInvites[key] = nil
            logger.info(
                "a call of \(message.from) was given up before it rang", metadata: ["call": "\(message.callId)"])
        default:
            guard pending.messages.count < PendingInvite.maximumMessages else {
                logger.debug("dropped: too many messages for a call that does not ring yet")
                break
            }
            pendingInvites[key]?.messages.append(message)
        }
        return true
    }

    /// Drops the invites that do not ring yet: the agent signs out, and the server notifies their callers.
    func forgetPendingInvites() {
        for pending in pendingInvites.values { pending.task?.cancel() }
        pendingInvites = [:]
    }
}
