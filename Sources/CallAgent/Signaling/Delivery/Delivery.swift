/// Gets the messages of one agent to their receivers once and in order, whatever the transport loses, repeats or reorders.
///
/// A plain value: time goes in as ms of any clock that does not jump, commands come out. On a transport that guarantees
/// delivery it passes everything on as it is. Messages without a sequence number are taken as they come.
struct Delivery: Sendable {
    /// What is to be done, in order.
    enum Action: Sendable, Equatable {
        /// Hand a message to the transport.
        case transmit(SignalingMessage)
        /// Hand a message to the calls.
        case deliver(SignalingMessage)
        /// Nobody acknowledged the message in time.
        case failed(SignalingMessage)
    }

    private struct Pending: Sendable {
        var message: SignalingMessage
        /// The devices that said that they have it.
        var acknowledged: Set<String> = []
        var transmissions = 0
        var dueAt: Int
        /// Nil when it is repeated for as long as its call goes on.
        var expiresAt: Int?
    }

    /// Who the messages are from.
    let user: String
    let device: String?
    private let isGuaranteed: Bool
    private let timing: DeliveryTiming
    private var isConnected = true
    private var pending: [Pending] = []
    private var counters: [StreamKey: Int] = [:]
    /// The calls that this end takes part in: however long they are silent, their numbers are not begun anew.
    private var running: Set<String> = []
    private var streams: [StreamKey: IncomingStream] = [:]
    private var acksSent = 0
    private var lastTidied = 0

    /// How many messages may wait for their acknowledgement; beyond it the oldest are given up.
    static let maximumPending = 1_024
    /// How many messages may wait for others that are missing.
    static let maximumHeld = 512
    /// How many streams of messages are remembered; beyond it the ones that were silent for longest are forgotten.
    static let maximumStreams = 1_024

    init(user: String, device: String?, isGuaranteed: Bool, timing: DeliveryTiming = DeliveryTiming()) {
        self.user = user
        self.device = device
        self.isGuaranteed = isGuaranteed
        self.timing = timing
    }

    /// How many rows of incoming and of outgoing messages are remembered.
    var streamCount: Int { streams.count }
    var counterCount: Int { counters.count }

    /// Whether nothing waits for an acknowledgement.
    var isIdle: Bool { pending.isEmpty }

    /// When ``wake(at:)`` is to be called next; nil when there is nothing to wait for.
    var nextWake: Int? {
        pending.compactMap { pending in
            isConnected ? min(pending.dueAt, pending.expiresAt ?? .max) : pending.expiresAt
        }.min()
    }

    // MARK: Out

    /// Sends a message.
    mutating func send(_ message: SignalingMessage, at now: Int) -> [Action] {
        if message.body.isReliable, !message.body.isFarewell { running.insert(message.callId) }
        // A transport that guarantees delivery keeps what it cannot send, or says that it does not.
        if isGuaranteed { return [.transmit(message)] }
        guard message.body.isReliable else { return isConnected ? [.transmit(message)] : [] }
        if message.body.endsEverything, dropMoot(message) { return [] }
        var message = message
        let key = StreamKey(call: message.callId, peer: message.to, device: message.toDevice, isForAll: false)
        counters[key, default: 0] += 1
        message.sequence = counters[key]
        pending.append(Pending(message: message, dueAt: now, expiresAt: expiry(of: message).map { now + $0 }))
        var actions: [Action] = []
        if pending.count > Self.maximumPending { actions.append(.failed(pending.removeFirst().message)) }
        return actions + transmitDue(at: now)
    }

    private func expiry(of message: SignalingMessage) -> Int? {
        switch message.body {
        case .invite(let invite): invite.ringTimeoutMs
        case .reject, .cancel, .hangup: timing.expiryMs
        default: nil
        }
    }

    /// The call has ended at this end without a word of its own: nothing of it is repeated any more.
    mutating func forget(call: String) {
        running.remove(call)
        pending.removeAll { $0.message.callId == call && !$0.message.body.isFarewell }
    }

    /// What waits for the same receiver about a call that ends has no use any more, but for what tells its other devices.
    ///
    /// - Returns: Whether the call's invite was among it and had not gone out, so that nobody need hear of its end.
    private mutating func dropMoot(_ farewell: SignalingMessage) -> Bool {
        let moot = pending.filter { $0.message.callId == farewell.callId && $0.message.to == farewell.to }
        pending.removeAll {
            $0.message.callId == farewell.callId && $0.message.to == farewell.to && !$0.message.body.isFarewell
        }
        return moot.contains { $0.message.body.isInvite && $0.transmissions == 0 }
    }

    private mutating func transmitDue(at now: Int) -> [Action] {
        guard isConnected else { return [] }
        var actions: [Action] = []
        for index in pending.indices where pending[index].dueAt <= now {
            let pause = min(timing.firstRetryMs << min(pending[index].transmissions, 16), timing.longestRetryMs)
            pending[index].transmissions += 1
            pending[index].dueAt = now + pause
            actions.append(.transmit(pending[index].message))
        }
        return actions
    }

    /// The time of ``nextWake`` has come.
    mutating func wake(at now: Int) -> [Action] {
        let expired = pending.filter { $0.expiresAt ?? .max <= now }
        pending.removeAll { $0.expiresAt ?? .max <= now }
        return expired.map { .failed($0.message) } + transmitDue(at: now)
    }

    // MARK: The transport

    /// Nothing can be sent until ``connectionRestored(at:)``.
    mutating func connectionLost() { isConnected = false }

    /// What was not acknowledged goes out at once.
    mutating func connectionRestored(at now: Int) -> [Action] {
        isConnected = true
        for index in pending.indices {
            pending[index].dueAt = now
            pending[index].transmissions = min(pending[index].transmissions, 1)
        }
        return transmitDue(at: now)
    }

    // MARK: In

    /// Takes a message of the transport.
    mutating func receive(_ message: SignalingMessage, at now: Int) -> [Action] {
        switch message.body {
        case .ack(let id):
            acknowledge(id, message)
            return []
        case .error(let fault):
            settle(fault, message)
            return [.deliver(message)]
        default: break
        }
        guard let sequence = message.sequence, !message.from.isEmpty else { return [.deliver(message)] }
        let key = StreamKey(
            call: message.callId, peer: message.from, device: message.device, isForAll: message.toDevice == nil)
        forgetOldStreams(at: now)
        var stream = streams[key] ?? IncomingStream()
        let mayHold = streams.values.reduce(0) { $0 + $1.heldCount } < Self.maximumHeld
        guard let delivered = stream.take(message, sequence: sequence, mayHold: mayHold, at: now) else {
            // Too far ahead of what is missing: it will come again.
            return []
        }
        streams[key] = stream
        let fresh = delivered.filter { !isOutdated($0, key) }
        return fresh.map { .deliver($0) } + [.transmit(acknowledgement(of: message))]
    }

    /// What is for all devices of a user must reach all of those that take part.
    private mutating func acknowledge(_ id: String, _ ack: SignalingMessage) {
        guard
            let index = pending.firstIndex(where: {
                $0.message.id == id && $0.message.callId == ack.callId && $0.message.to == ack.from
            })
        else { return }
        if pending[index].message.toDevice == nil, let device = ack.device {
            pending[index].acknowledged.insert(device)
            let known = streams.keys.filter { $0.call == ack.callId && $0.peer == ack.from }.compactMap(\.device)
            guard pending[index].acknowledged.isSuperset(of: known) else { return }
        }
        pending.remove(at: index)
    }

    /// Whether a state for all devices comes later than one for this device, which was told after it.
    private func isOutdated(_ message: SignalingMessage, _ key: StreamKey) -> Bool {
        guard key.isForAll, case .state = message.body else { return false }
        var direct = key
        direct.isForAll = false
        return streams[direct] != nil
    }

    /// A message that the server or the peer will never take is not repeated; one for a user who may come back is.
    private mutating func settle(_ fault: SignalingMessage.Fault, _ error: SignalingMessage) {
        pending.removeAll { pending in
            guard pending.message.callId == error.callId, pending.message.id == fault.ref,
                error.from.isEmpty || error.from == pending.message.to
            else { return false }
            switch fault.code {
            case EndReason.unknownUser.code, EndReason.offline.code: return pending.message.body.isInvite
            case 429: return pending.message.body.isInvite
            default: return true
            }
        }
    }

    private mutating func acknowledgement(of message: SignalingMessage) -> SignalingMessage {
        acksSent += 1
        var ack = SignalingMessage(
            id: "k\(acksSent)", callId: message.callId, from: user, to: message.from, generation: message.generation,
            sentUnixMs: message.sentUnixMs, body: .ack(message.id))
        ack.device = device
        ack.toDevice = message.device
        return ack
    }

    private mutating func forgetOldStreams(at now: Int) {
        guard streams.count >= Self.maximumStreams || now - lastTidied > timing.memoryMs else { return }
        lastTidied = now
        streams = streams.filter { running.contains($0.key.call) || $0.value.lastHeard + timing.memoryMs > now }
        while streams.count >= Self.maximumStreams, let oldest = streams.min(by: isForgottenBefore) {
            streams[oldest.key] = nil
        }
        counters = counters.filter { key, _ in
            running.contains(key.call) || pending.contains { $0.message.callId == key.call }
        }
    }
}

extension Delivery {
    /// Strangers before those that this end has a call with.
    private func isForgottenBefore(
        _ a: (key: StreamKey, value: IncomingStream), _ b: (key: StreamKey, value: IncomingStream)
    ) -> Bool {
        switch (running.contains(a.key.call), running.contains(b.key.call)) {
        case (false, true): true
        case (true, false): false
        default: a.value.lastHeard < b.value.lastHeard
        }
    }
}

/// Whose messages are numbered together.
private struct StreamKey: Sendable, Hashable {
    var call: String
    var peer: String
    var device: String?
    var isForAll: Bool
}
