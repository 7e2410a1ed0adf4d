import CallAgent
import CallProtocol
import Foundation

/// A device that places calls and accepts each call at once: the signaling of an agent, without its media.
///
/// It numbers and acknowledges messages as an agent does. But it repeats none, so that a lost message shows.
actor CallDevice {
    /// How long an accepted call lasts.
    static let callDuration = Duration.seconds(1)

    nonisolated let user: String
    private let transport: any SignalingTransport
    private let tally: CallTally
    private var delivery: Delivery
    private var placedAt: [String: ContinuousClock.Instant] = [:]
    private var messages = 0
    /// The time for ``delivery``: it stands still, so no message is ever due again.
    private let now = 0

    init(user: String, transport: any SignalingTransport, tally: CallTally) {
        (self.user, self.transport, self.tally) = (user, transport, tally)
        delivery = Delivery(user: user, device: transport.device, isGuaranteed: transport.guaranteesDelivery, epoch: 0)
    }

    /// Signs in; returns how long that took.
    func signIn() async throws -> Duration {
        let start = ContinuousClock.now
        try await transport.connect(as: user)
        let duration = ContinuousClock.now - start
        Task { for await event in transport.events { await take(event, at: .now) } }
        return duration
    }

    func signOut() async { await transport.close() }

    /// Places a call that ends by itself.
    func call(_ callee: String, id: String) async {
        placedAt[id] = .now
        tally.change { $0.begun += 1 }
        let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 30_000, sdp: CallContent.offer)
        await send([.invite(invite)] + CallContent.candidates, to: callee, callId: id)
    }

    private func hangUp(_ accept: SignalingMessage) async {
        let farewell = SignalingMessage.Farewell(code: 9_900, text: "")
        await send([.hangup(farewell)], to: accept.from, device: accept.device, callId: accept.callId)
        delivery.forget(accept.receivedKey)
    }

    // MARK: Out

    private func send(
        _ bodies: [SignalingMessage.Body], to user: String, device: String? = nil, callId: String
    ) async {
        for body in bodies {
            messages += 1
            var message = SignalingMessage(
                id: "a\(messages)", callId: callId, from: self.user, to: user,
                sentUnixMs: Date().timeIntervalSince1970 * 1_000, body: body)
            (message.device, message.toDevice) = (transport.device, device)
            for action in delivery.send(message, at: now) { await carryOut(action) }
        }
    }

    /// Transmits what is to be transmitted; returns what is to be delivered.
    @discardableResult
    private func carryOut(_ action: Delivery.Action) async -> SignalingMessage? {
        switch action {
        case .deliver(let message): return message
        case .failed(let message, let failure): tally.fault("\(user): \(message.id): \(failure)")
        case .transmit(let message):
            tally.change { $0.sent += 1 }
            do {
                try await transport.send(message.encoded(), to: message.to)
            } catch {
                tally.fault("\(user): \(error)")
            }
        }
        return nil
    }

    // MARK: In

    private func take(_ event: SignalingTransportEvent, at arrival: ContinuousClock.Instant) async {
        switch event {
        case .received(let text):
            guard let message = try? SignalingMessage(decoding: text) else {
                return tally.fault("\(user): a message is illegible")
            }
            await take(message, at: arrival)
        case .disconnected(let text): tally.fault("\(user): the connection was lost: \(text)")
        case .ended(let error): tally.fault("\(user): \(error)")
        case .reconnected, .clock, .tokenWillExpire, .tokenRenewed, .tokenNotRenewed, .iceServers: break
        }
    }

    private func take(_ message: SignalingMessage, at arrival: ContinuousClock.Instant) async {
        switch message.body {
        // The server or the transport itself made them.
        case .error(let fault): tally.fault("\(user): \(fault.code) \(fault.text)")
        case .gone: tally.fault("\(user): \(message.from) is gone")
        default: tally.change { $0.arrived += 1 }
        }
        var delivered: [SignalingMessage] = []
        for action in delivery.receive(message, at: now) {
            if let message = await carryOut(action) { delivered.append(message) }
        }
        for message in delivered { await answer(message, at: arrival) }
    }

    private func answer(_ message: SignalingMessage, at arrival: ContinuousClock.Instant) async {
        let placed = placedAt[message.callId]
        let nanoseconds = placed.map { Int64((arrival - $0) / .nanoseconds(1)) } ?? 0
        switch message.body {
        case .invite:
            await send(
                [.ringing, .accept(sdp: CallContent.answer)] + CallContent.candidates,
                to: message.from, device: message.device, callId: message.callId)
        case .ringing where placed != nil: tally.change { $0.ringing.append(nanoseconds) }
        case .accept where placed != nil:
            placedAt[message.callId] = nil
            tally.change { $0.accepts.append(nanoseconds) }
            Task {
                try? await Task.sleep(for: Self.callDuration)
                await hangUp(message)
            }
        case .hangup:
            delivery.forget(message.receivedKey)
            tally.change { $0.ended += 1 }
        default: break
        }
    }
}
