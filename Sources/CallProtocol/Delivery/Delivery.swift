/// Delivers the messages of one agent once and in order, even if the transport loses, repeats or reorders them.
///
/// A plain value: its inputs carry the time in ms, by any clock that does not jump; its outputs are actions. On a transport that
/// guarantees delivery it passes everything on unchanged. Messages without a sequence number are taken as they arrive.
package struct Delivery: Sendable {
    /// An action to carry out; actions are in order.
    package enum Action: Sendable, Equatable {
        /// Hand a message to the transport.
        case transmit(SignalingMessage)
        /// Hand a message to the calls.
        case deliver(SignalingMessage)
        /// A message of this end was given up.
        case failed(SignalingMessage, Failure)
    }

    /// Why a message was given up.
    package enum Failure: Sendable, Equatable {
        /// Nobody acknowledged it in time.
        case unacknowledged
        /// ``maximumPending`` other messages wait for their acknowledgement; this one never got a number.
        case tooManyWait
        /// The server, or the device of the receiver that answered last, refused it.
        case refused(code: Int, text: String)
    }

    private struct Pending: Sendable {
        var message: SignalingMessage
        /// The devices that acknowledged it.
        var acknowledged: Set<String> = []
        var transmissions = 0
        var sentAt: Int?
        var dueAt: Int
        /// Nil when it is repeated as long as its call exists.
        var expiresAt: Int?

        /// Sends it again at `now`, and then as often as after the first time.
        mutating func makeDue(at now: Int) {
            dueAt = now
            transmissions = min(transmissions, 1)
        }
    }

    package let user: String
    package let device: String?
    private let isGuaranteed: Bool
    private let epoch: Int
    private let timing: DeliveryTiming
    private var isConnected = true
    private var pending: [Pending] = []
    private var counters: [StreamKey: Int] = [:]
    /// The calls that this end takes part in: their numbering does not restart, however long they are silent.
    private var running: Set<CallKey> = []
    private var streams: [StreamKey: IncomingStream] = [:]
    private var acksSent = 0
    private var skipsSent = 0
    private var lastTidied = 0

    /// How many messages may wait for their acknowledgement.
    ///
    /// A further one is given up at once, unless it ends a call.
    package static let maximumPending = 1_024
    /// After this time without an acknowledgement, a message is repeated when a `query` of its peer arrives, in ms.
    package static let lostAfterMs = 50
    /// How many messages one `query` has repeated at most.
    package static let maximumRepeated = 32
    /// How many messages may wait for missing ones.
    package static let maximumHeld = 512
    /// How many streams of messages are remembered; beyond that, those that were silent for longest are forgotten.
    package static let maximumStreams = 1_024

    /// Makes an end that has sent nothing.
    ///
    /// - Parameter epoch: the time in ms since 1970. It must be later than that of any former delivery of this device.
    package init(
        user: String, device: String?, isGuaranteed: Bool, epoch: Int, timing: DeliveryTiming = DeliveryTiming()
    ) {
        self.user = user
        self.device = device
        self.isGuaranteed = isGuaranteed
        self.epoch = epoch
        self.timing = timing
    }

    /// How many incoming streams and outgoing counters are remembered.
    package var streamCount: Int { streams.count }
    package var counterCount: Int { counters.count }

    /// Whether nothing waits for an acknowledgement.
    package var isIdle: Bool { pending.isEmpty }

    /// Whether no message of a call waits for an acknowledgement.
    package func isIdle(_ call: CallKey) -> Bool { !pending.contains { $0.message.sentKey == call } }

    /// When to call ``wake(at:)`` next; nil when nothing waits.
    package var nextWake: Int? {
        pending.compactMap { pending in
            isConnected ? min(pending.dueAt, pending.expiresAt ?? .max) : pending.expiresAt
        }.min()
    }

    // MARK: Out

    /// Sends a message.
    package mutating func send(_ message: SignalingMessage, at now: Int) -> [Action] {
        if message.body.isReliable, !message.body.isFarewell { running.insert(message.sentKey) }
        // A transport that guarantees delivery keeps a message that it cannot send, or reports the failure.
        if isGuaranteed { return [.transmit(message)] }
        guard message.body.isReliable else { return isConnected ? [.transmit(message)] : [] }
        if message.body.endsEverything, dropMoot(message) { return [] }
        guard pending.count < Self.maximumPending || message.body.isFarewell else {
            return [.failed(message, .tooManyWait)]
        }
        var message = message
        let key = StreamKey(call: message.sentKey, device: message.toDevice, isForAll: false)
        counters[key, default: 0] += 1
        message.sequence = counters[key]
        message.epoch = epoch
        pending.append(Pending(message: message, dueAt: now, expiresAt: expiry(of: message).map { now + $0 }))
        return transmitDue(at: now)
    }

    private func expiry(of message: SignalingMessage) -> Int? {
        switch message.body {
        case .invite(let invite): invite.ringTimeoutMs
        case .reject, .cancel, .hangup: timing.expiryMs
        default: nil
        }
    }

    /// The call has ended at this end without a message: nothing of it is repeated any more.
    package mutating func forget(_ call: CallKey) {
        running.remove(call)
        pending.removeAll { $0.message.sentKey == call && !$0.message.body.isFarewell }
    }

    /// Drops waiting messages of a call that ends; only farewells, for its other devices, are kept.
    ///
    /// - Returns: Whether they included the call's invite and it was never sent, so that nobody needs to be notified of the end.
    private mutating func dropMoot(_ farewell: SignalingMessage) -> Bool {
        let moot = pending.filter { $0.message.sentKey == farewell.sentKey }
        pending.removeAll { $0.message.sentKey == farewell.sentKey && !$0.message.body.isFarewell }
        return moot.contains { $0.message.body.isInvite && $0.transmissions == 0 }
    }

    private mutating func transmitDue(at now: Int) -> [Action] {
        guard isConnected else { return [] }
        var actions: [Action] = []
        for index in pending.indices where pending[index].dueAt <= now {
            let pause = min(timing.firstRetryMs << min(pending[index].transmissions, 16), timing.longestRetryMs)
            pending[index].transmissions += 1
            pending[index].sentAt = now
            pending[index].dueAt = now + pause
            actions.append(.transmit(pending[index].message))
        }
        return actions
    }

    /// Call this at the time ``nextWake``.
    package mutating func wake(at now: Int) -> [Action] {
        let expired = pending.filter { $0.expiresAt ?? .max <= now }
        pending.removeAll { $0.expiresAt ?? .max <= now }
        return expired.map { .failed($0.message, .unacknowledged) } + transmitDue(at: now)
    }

    // MARK: The transport

    /// Nothing can be sent until ``connectionRestored(at:)``.
    package mutating func connectionLost() { isConnected = false }

    /// Unacknowledged messages are sent at once.
    package mutating func connectionRestored(at now: Int) -> [Action] {
        isConnected = true
        for index in pending.indices { pending[index].makeDue(at: now) }
        return transmitDue(at: now)
    }

    /// Repeats the oldest messages of a call, except those whose acknowledgement may still be under way.
    private mutating func repeatLost(of call: CallKey, at now: Int) -> [Action] {
        let lost = pending.indices.filter { index in
            pending[index].message.sentKey == call
                && pending[index].sentAt.map { now - $0 >= Self.lostAfterMs } ?? false
        }
        for index in lost.prefix(Self.maximumRepeated) { pending[index].makeDue(at: now) }
        return transmitDue(at: now)
    }

    // MARK: In

    /// Takes a message from the transport.
    package mutating func receive(_ message: SignalingMessage, at now: Int) -> [Action] {
        switch message.body {
        case .ack(let id):
            // A former process of this device may have used the same id.
            if message.epoch == epoch { acknowledge(id, message) }
            return []
        case .error(let fault): return resolve(fault, message, at: now) + [.deliver(message)]
        default: break
        }
        guard let sequence = message.sequence, !message.from.isEmpty else { return [.deliver(message)] }
        let key = StreamKey(call: message.receivedKey, device: message.device, isForAll: message.toDevice == nil)
        let delivered = take(key, epoch: message.epoch, at: now) { stream, mayHold in
            message.body == .skip
                ? stream.skip(sequence, at: now)
                : stream.take(message, sequence: sequence, mayHold: mayHold, at: now)
        }
        // Of a former process; or too far ahead of a missing message, and the sender will repeat it.
        guard let delivered else { return [] }
        let answer = delivered + [.transmit(acknowledgement(of: message))]
        guard message.body == .query, !delivered.isEmpty else { return answer }
        // The peer's connection may be back: what was sent to the former one is lost.
        return answer + repeatLost(of: message.receivedKey, at: now)
    }

    /// Takes a message that is refused: it uses up its number, so that later messages are delivered.
    ///
    /// - Returns: What can be delivered now, and the error for the sender.
    package mutating func refuse(_ head: MessageHead, _ fault: MalformedMessage, at now: Int) -> [Action] {
        guard var answer = head.answer(fault, from: user) else { return [] }
        answer.device = device
        var delivered: [Action] = []
        if !isGuaranteed, !head.isMisaddressed, let sequence = head.sequence, let epoch = head.epoch,
            let from = head.from, let call = head.callId
        {
            let key = StreamKey(
                call: CallKey(peer: from, callId: call), device: head.device, isForAll: head.toDevice == nil)
            let taken = take(key, epoch: epoch, at: now) { stream, _ in stream.skip(sequence, at: now) }
            guard let taken else { return [] }
            delivered = taken
        }
        return delivered + [.transmit(answer)]
    }

    /// Passes a message to its stream; nil when it is too far ahead, or of a former process of its device.
    private mutating func take(
        _ key: StreamKey, epoch: Int, at now: Int,
        _ take: (inout IncomingStream, _ mayHold: Bool) -> [SignalingMessage]?
    ) -> [Action]? {
        forgetOldStreams(at: now)
        guard begin(epoch, of: key) else { return nil }
        var stream = streams[key] ?? IncomingStream(epoch: epoch)
        let mayHold = streams.values.reduce(0) { $0 + $1.heldCount } < Self.maximumHeld
        guard let delivered = take(&stream, mayHold) else { return nil }
        streams[key] = stream
        return delivered.filter { !isOutdated($0, key) }.map { .deliver($0) }
    }

    /// Forgets what a former process of the device has sent.
    ///
    /// - Returns: False for the epoch of a former process.
    private mutating func begin(_ epoch: Int, of key: StreamKey) -> Bool {
        let ofDevice = [true, false].map { StreamKey(call: key.call, device: key.device, isForAll: $0) }
        let epochs = ofDevice.compactMap { streams[$0]?.epoch }
        if epochs.contains(where: { $0 > epoch }) { return false }
        guard epochs.contains(where: { $0 < epoch }) else { return true }
        for former in ofDevice { streams[former] = nil }
        // Also when the message itself is too far ahead: the former process must not come back.
        streams[key] = IncomingStream(epoch: epoch)
        return true
    }

    /// Handles an acknowledgement; a message for all devices of a user must reach all devices that take part.
    ///
    /// - Returns: Whether the message is complete.
    @discardableResult
    private mutating func acknowledge(_ id: String, _ ack: SignalingMessage) -> Bool {
        guard
            let index = pending.firstIndex(where: { $0.message.id == id && $0.message.sentKey == ack.receivedKey })
        else { return false }
        if pending[index].message.toDevice == nil, let device = ack.device {
            pending[index].acknowledged.insert(device)
            let known = streams.keys.filter { $0.call == ack.receivedKey }.compactMap(\.device)
            guard pending[index].acknowledged.isSuperset(of: known) else { return false }
        }
        pending.remove(at: index)
        return true
    }

    /// Whether a state for all devices arrives after one for this device that was sent later.
    private func isOutdated(_ message: SignalingMessage, _ key: StreamKey) -> Bool {
        guard key.isForAll, case .state = message.body else { return false }
        var direct = key
        direct.isForAll = false
        return streams[direct]?.hasState == true
    }

    /// A message that the server or the peer will never accept is not repeated; one for a user who may come back is.
    private mutating func resolve(_ fault: SignalingMessage.Fault, _ error: SignalingMessage, at now: Int) -> [Action] {
        guard let id = fault.ref,
            let index = pending.firstIndex(where: { pending in
                pending.message.id == id && pending.message.callId == error.callId
                    && (error.from.isEmpty || error.from == pending.message.to)
            })
        else { return [] }
        let message = pending[index].message
        let mayComeBack = [SignalingCode.unknownUser, SignalingCode.offline, SignalingCode.tooMany].contains(fault.code)
        if mayComeBack, !message.body.isInvite { return [] }
        // The call itself handles an error about its invite.
        let failures: [Action] =
            message.body.isInvite ? [] : [.failed(message, .refused(code: fault.code, text: fault.text))]
        guard error.from.isEmpty else {
            // The device has used up the number; other devices may still accept the message.
            return acknowledge(id, error) ? failures : []
        }
        return failures + giveUp(index, at: now)
    }

    /// This end cannot send the message: it exceeds the limits of the protocol.
    package mutating func refusedHere(_ message: SignalingMessage, _ fault: MalformedMessage, at now: Int) -> [Action] {
        let failure = Action.failed(message, .refused(code: fault.code, text: fault.text))
        let place = pending.firstIndex { $0.message.id == message.id && $0.message.sentKey == message.sentKey }
        guard let place else { return [failure] }
        return [failure] + giveUp(place, at: now)
    }

    /// Sends a skip instead of a message that no receiver has seen: later messages wait for its number.
    private mutating func giveUp(_ index: Int, at now: Int) -> [Action] {
        guard let skip = skip(pending.remove(at: index).message) else { return [] }
        pending.insert(Pending(message: skip, dueAt: now), at: index)
        return transmitDue(at: now)
    }

    /// The skip that uses up the number of a message that no receiver will ever see.
    ///
    /// Nil where nothing waits for the number: no message follows one that begins or ends a call.
    private mutating func skip(_ message: SignalingMessage) -> SignalingMessage? {
        guard !message.body.isInvite, !message.body.isFarewell, message.body != .skip else { return nil }
        skipsSent += 1
        var skip = message
        skip.id = "s\(skipsSent)"
        skip.extensionData = [:]
        skip.body = .skip
        return skip
    }

    private mutating func acknowledgement(of message: SignalingMessage) -> SignalingMessage {
        acksSent += 1
        var ack = SignalingMessage(
            id: "k\(acksSent)", callId: message.callId, from: user, to: message.from, generation: message.generation,
            sentUnixMs: message.sentUnixMs, body: .ack(message.id))
        ack.epoch = message.epoch
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
            running.contains(key.call) || pending.contains { $0.message.sentKey == key.call }
        }
    }
}

extension Delivery {
    /// Users without a call with this end are forgotten before those with one.
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

/// Identifies messages that are numbered together.
private struct StreamKey: Sendable, Hashable {
    var call: CallKey
    var device: String?
    var isForAll: Bool
}
