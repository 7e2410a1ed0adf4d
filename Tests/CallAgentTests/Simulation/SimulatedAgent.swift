@testable import CallAgent

/// One device: the rules of its calls, their routing and the delivery, combined as in the shell.
final class SimulatedAgent {
    let index: Int
    let user: String
    let device: String
    let policy: EarlyMediaPolicy
    /// The media of the calls that its user places.
    let media: CallMedia
    let limit: Int
    var routing: CallRouting
    var delivery: Delivery
    var calls: [String: SimulatedCall] = [:]
    /// The calls whose farewell it received, whether it knew them or not.
    private(set) var heardEnds: Set<String> = []
    /// How many calls its user placed, by callee.
    private(set) var placed: [String: Int] = [:]
    var ended: [SimulatedCall] = []
    /// The calls that a crash interrupted.
    private(set) var lost: Set<String> = []
    /// The calls that ended before a crash.
    var forgotten: [SimulatedCall] = []
    var isConnected = true
    var isAlive = true
    var wakeAt: Int?
    private unowned let world: SimulatedWorld

    /// Later for each of its processes.
    private var epoch = 1

    init(
        _ index: Int, user: String, device: String, policy: EarlyMediaPolicy, media: CallMedia, limit: Int,
        world: SimulatedWorld
    ) {
        self.index = index
        self.user = user
        self.device = device
        self.policy = policy
        self.media = media
        self.limit = limit
        self.world = world
        routing = CallRouting(limit: limit)
        delivery = Delivery(user: user, device: device, isGuaranteed: false, epoch: epoch)
    }

    // MARK: Actions of the user

    func placeCall(to peer: String) {
        guard isAlive, peer != user else { return }
        if let ringing = routing.ringing(from: peer), let call = calls[ringing.callId] {
            call.asked = media
            give(.setSending(audio: media.audio ? nil : .off, video: media.video ? nil : .off), to: call)
            return give(.accept, to: call)
        }
        guard !routing.isFull else { return }
        let machine = CallMachine(role: .caller, media: media, device: device)
        let call = SimulatedCall(id: world.newCallId(), peer: peer, machine: machine, at: world.now)
        call.asked = media
        guard routing.add(call.key, .init(role: .caller, state: .calling)) else { return }
        calls[call.id] = call
        placed[peer, default: 0] += 1
        // The peer may yield to the second of them.
        if placed[peer] != 1 { world.isDisturbed = true }
        give(.place, to: call)
    }

    /// Acts on each of its calls.
    func operate(_ event: CallMachine.Event) {
        guard isAlive else { return }
        switch event {
        case .hangUp, .reject: world.isDisturbed = true
        default: break
        }
        for call in calls.values.sorted(by: { $0.id < $1.id }) { give(event, to: call) }
    }

    /// Ends the process and starts a new one that remembers nothing.
    func crash() {
        (forgotten, ended, heardEnds) = (forgotten + ended, [], [])
        for call in calls.values { for media in call.media.values { world.close(media) } }
        lost.formUnion(calls.keys)
        calls = [:]
        routing = CallRouting(limit: limit)
        epoch += 1
        delivery = Delivery(user: user, device: device, isGuaranteed: false, epoch: epoch)
        wakeAt = nil
    }

    // MARK: Events of the transport

    func receive(_ message: SignalingMessage) { perform(delivery.receive(message, at: world.now)) }

    func wake() {
        guard wakeAt == world.now else { return }
        wakeAt = nil
        perform(delivery.wake(at: world.now))
    }

    func setConnected(_ isConnected: Bool) {
        guard self.isConnected != isConnected else { return }
        self.isConnected = isConnected
        if isConnected {
            perform(delivery.connectionRestored(at: world.now))
            operate(.signalingRestored)
        } else {
            delivery.connectionLost()
            operate(.signalingLost)
        }
    }

    private func perform(_ actions: [Delivery.Action]) {
        for action in actions {
            switch action {
            case .transmit(let message): world.transmit(message, from: self)
            case .deliver(let message): route(message)
            case .failed(let message, _):
                if message.body.isInvite, let call = calls[message.callId] {
                    give(.inviteFailed(text: "not delivered"), to: call)
                }
            }
        }
        if let next = delivery.nextWake, next != wakeAt {
            wakeAt = max(next, world.now + 1)
            world.plan(.wake(index), at: wakeAt ?? next)
        }
    }

    private func route(_ message: SignalingMessage) {
        if message.body.isFarewell { heardEnds.insert(message.callId) }
        switch routing.route(message, unixMs: world.unixMs) {
        case .call(let key):
            guard let call = calls[key.callId] else { return }
            give(.received(message.body, generation: message.generation, device: message.device), to: call)
        case .ring:
            guard case .invite(let invite) = message.body else { return }
            let machine = CallMachine(role: .callee, media: invite.media, earlyMedia: policy, device: device)
            let call = SimulatedCall(id: message.callId, peer: message.from, machine: machine, at: world.now)
            guard routing.add(call.key, .init(role: .callee, state: machine.state)) else { return }
            calls[call.id] = call
            world.noteRinging(call, at: self)
            give(.received(.invite(invite), device: message.device), to: call)
        case .yield(let own):
            guard case .invite(let invite) = message.body, let call = calls[own.callId] else { return }
            call.invite = invite
            adoptedId = message.callId
            give(.yield(to: invite, device: message.device), to: call)
        case .busy: answer(message, .reject(.init(code: 486, text: "")))
        case .expired: answer(message, .reject(.init(code: 487, text: "")))
        case .unknownCall: answer(message, .error(.init(code: 481, text: "", ref: message.id)))
        case .stray: break
        }
    }

    private func answer(_ message: SignalingMessage, _ body: SignalingMessage.Body) {
        var answer = SignalingMessage(
            id: "r-\(message.id)", callId: message.callId, from: user, to: message.from,
            sentUnixMs: world.unixMs, body: body)
        answer.device = device
        answer.toDevice = message.device
        perform(delivery.send(answer, at: world.now))
    }

    // MARK: The rules and their effects

    private var adoptedId: String?

    func give(_ event: CallMachine.Event, to call: SimulatedCall) {
        var effects: [CallMachine.Effect] = []
        let wasAccepted = call.machine.phase == .accepted
        if case .changeMedia(let media) = event, call.machine.refusal(of: event) == nil, media.video {
            call.asked?.video = true
        }
        let broken = call.promises.give(event, to: &call.machine) { effects = $0 }
        for text in broken { world.complain("\(user)/\(device): \(text)") }
        if !wasAccepted, call.machine.phase == .accepted {
            call.acceptedAt = world.now
            if event == .accept { call.isWanted = true }
        }
        if call.machine.end == nil { routing.note(call.machine.state, of: call.key) }
        for effect in effects { carryOut(effect, call) }
    }

    private func carryOut(_ effect: CallMachine.Effect, _ call: SimulatedCall) {
        switch effect {
        case .send(let body, let address): send(body, address, call)
        case .createOffer(_, let generation): world.createOffer(generation, call, self)
        case .createAnswer(let offer, _, let generation): world.createAnswer(offer, generation, call, self)
        case .setAnswer(let sdp, let generation): world.setAnswer(sdp, generation, call)
        case .setGates(let gates, let generation):
            if let asked = call.asked {
                // Nothing passes a closed gate.
                let sends = (audio: gates.audio == .live, video: gates.video == .live)
                if sends.audio && !asked.audio || sends.video && !asked.video {
                    world.complain("\(user)/\(device) sends \(gates) in \(call.id) and asked for \(asked)")
                }
            }
            world.setGates(gates, generation, call, self)
        case .restartIce(let number, let generation): world.restartIce(number, generation, call)
        case .setIceParameters(let parameters, let generation): world.setIceParameters(parameters, generation, call)
        case .close(let generation): if let media = call.media.removeValue(forKey: generation) { world.close(media) }
        case .startTimer(let timer, let milliseconds):
            call.timers[timer] = world.now + milliseconds
            world.plan(.timer(timer, call, agent: index), at: world.now + milliseconds)
        case .cancelTimer(let timer): call.timers[timer] = nil
        case .adoptCall: adopt(call)
        case .stopMedia: stop(call)
        case .addCandidate, .report, .notify, .ignored: break
        }
    }

    private func send(_ body: SignalingMessage.Body, _ address: CallMachine.Address, _ call: SimulatedCall) {
        call.messagesSent += 1
        var message = SignalingMessage(
            id: "\(call.machine.role == .caller ? "a" : "b")\(call.messagesSent)", callId: call.id, from: user,
            to: call.peer, generation: address.generation, sentUnixMs: world.unixMs, body: body)
        message.device = device
        message.toDevice = address.device
        perform(delivery.send(message, at: world.now))
    }

    private func adopt(_ call: SimulatedCall) {
        guard let id = adoptedId.take() else { return }
        delivery.forget(call.key)
        routing.adopt(id, insteadOf: call.key)
        calls[call.id] = nil
        call.id = id
        calls[id] = call
    }

    private func stop(_ call: SimulatedCall) {
        for media in call.media.values { world.close(media) }
        call.media = [:]
        routing.end(call.key)
        delivery.forget(call.key)
        calls[call.id] = nil
        ended.append(call)
    }
}
