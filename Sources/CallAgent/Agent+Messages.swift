internal import CallProtocol
internal import FoundationEssentials
internal import Logging

/// Takes incoming signaling and routes it to calls.
extension Agent {
    func take(_ event: SignalingLine.Event, _ line: SignalingLine) async {
        switch event {
        case .received(let message): await receive(message, line)
        case .failed(let message, let code, let text): await failed(message, code, text)
        case .lost(let text):
            logger.warning("signaling was lost: \(text)")
            hub.yield(.signalingLost(text: text))
            for call in calls.active { await call.signaling(isLost: true) }
        case .restored:
            logger.info("signaling is back")
            hub.yield(.signalingRestored)
            for call in calls.active { await call.signaling(isLost: false) }
        case .tokenWillExpire(let milliseconds): hub.yield(.tokenWillExpire(milliseconds: milliseconds))
        case .tokenRenewed: hub.yield(.tokenRenewed)
        case .tokenNotRenewed(let text): hub.yield(.tokenNotRenewed(text: text))
        case .iceServers(let servers):
            await provider.use(servers)
            let running = calls.active
            Task { for call in running { await call.use(servers) } }
        case .ended(let error): signalingEnded(error)
        }
    }

    private func failed(_ message: SignalingMessage, _ code: Int?, _ text: String) async {
        logger.warning("a message was not delivered: \(text)", metadata: ["type": "\(message.body.name)"])
        if let call = calls.active(message.sentKey) {
            await call.gaveUp(message, code: code, text: text)
        } else if message.body != .skip {
            hub.yield(
                .messageNotDelivered(
                    peer: message.to, callId: message.callId, type: message.body.name, code: code, text: text))
        }
    }

    func receive(_ message: SignalingMessage, _ line: SignalingLine) async {
        if keep(message) { return }
        switch calls.route(message, unixMs: await line.unixMs) {
        case .call(let key): await calls.active(key)?.receive(message)
        case .ring:
            guard case .invite(let invite) = message.body else { return }
            begin(invite, message, line)
        case .yield(let own):
            guard case .invite(let invite) = message.body else { return }
            await calls.active(own)?.yield(to: invite, message)
        case .busy: refuseAsBusy(message, line)
        case .expired(let age):
            logger.warning("an invite of \(message.from) is \(age) ms old and does not ring")
            hub.yield(.inviteExpired(peer: message.from, callId: message.callId, ageMs: age))
            let text = "the invite was \(age) ms old when it arrived; are both clocks right?"
            answer(message, .reject(.init(code: EndReason.ringTimeout.code, text: text)), line)
        case .unknownCall:
            answer(
                message, .error(.init(code: EndReason.unknownCall.code, text: "no such call", ref: message.id)), line)
        case .stray(let text): logger.debug("dropped: \(text)", metadata: ["type": "\(message.body.name)"])
        }
    }

    func refuseAsBusy(_ message: SignalingMessage, _ line: SignalingLine) {
        hub.yield(.refusedAsBusy(peer: message.from, callId: message.callId))
        answer(message, .reject(.init(code: EndReason.remoteBusy.code, text: "\(user) is busy")), line)
    }

    /// Answers a message that belongs to no call of this agent.
    func answer(_ message: SignalingMessage, _ body: SignalingMessage.Body, _ line: SignalingLine) {
        var answer = SignalingMessage(
            id: "r-\(message.id.prefix(SignalingLimits.nameBytes - 2))", callId: message.callId, from: user,
            to: message.from, generation: message.generation, sentUnixMs: Date().timeIntervalSince1970 * 1_000,
            body: body)
        answer.device = line.device
        answer.toDevice = message.device
        if body.carriesAgentData { answer.extensionData = configuration.extensionData }
        line.send(answer)
    }

    /// Makes a call and registers it.
    ///
    /// - Parameter isObsolete: called once the media is made, which takes time; nothing runs between its result and the registration.
    /// - Returns: nil when the call was obsolete.
    func makeCall(
        id: String, peer: String, machine: CallMachine, line: SignalingLine, start: ContinuousClock.Instant,
        room: String? = nil, invite: SignalingMessage.Invite? = nil, unless isObsolete: () -> Bool
    ) async throws(CallError) -> Call? {
        let session: any MediaSession
        do throws(MediaSessionError) {
            session = try await provider.makeSession(
                label: "\(id.prefix(8))-\(machine.role)", peer: peer, media: machine.media, role: machine.role,
                outputs: nil)
        } catch {
            throw .media(error)
        }
        guard phase == .prepared else {
            // Closed meanwhile: close() did not see this call.
            await session.close()
            throw .wrongState(operation: "a call", state: "the agent is \(phase)")
        }
        let (provider, reports) = (provider, reports)
        var surroundings = Call.Surroundings(
            outbox: { line.send($0) }, forget: { line.forget($0) }, registry: calls,
            makeSession: { label, media, role, outputs throws(MediaSessionError) in
                try await provider.makeSession(
                    label: label, peer: peer, media: media, role: role, outputs: outputs)
            },
            keep: { reports.keep($0) },
            wallClock: { Date().timeIntervalSince1970 * 1_000 }, sleep: sleep, logger: logger)
        surroundings.device = line.device
        if line.acknowledges { surroundings.acknowledged = { await line.waitUntilAcknowledged($0) } }
        surroundings.checkSignaling = { line.checkConnection() }
        surroundings.announcesRinging = configuration.announcesRinging
        surroundings.room = room
        (surroundings.displayName, surroundings.address) = (configuration.displayName, configuration.address)
        surroundings.extensionData = configuration.extensionData
        surroundings.hooks = configuration.hooks
        surroundings.statisticsInterval = configuration.statisticsInterval
        surroundings.sourceNames = configuration.media.sourceNames
        let call = Call(
            id: id, user: user, peer: peer, machine: machine, session: session, start: start, invite: invite,
            surroundings: surroundings)
        guard !isObsolete() else {
            await session.close()
            return nil
        }
        guard calls.add(call, state: machine.state) else {
            await session.close()
            if calls.isFull { throw .tooManyCalls(limit: configuration.maximumCalls) }
            throw .invalidCallId(id)
        }
        return call
    }

    /// Asks the peers of running calls, periodically, whether the call still exists at their end.
    func audit() async {
        let times = [configuration.ringAuditMs, configuration.callAuditMs].compactMap(\.self)
        guard let step = times.min() else { return }
        var elapsed = 0
        while (try? await sleep(.milliseconds(step))) != nil, !Task.isCancelled {
            elapsed += step
            for call in calls.active {
                let isRinging = await call.state == .ringing
                let interval = isRinging ? configuration.ringAuditMs : configuration.callAuditMs
                // Rounded to steps.
                guard let interval, elapsed / interval != (elapsed - step) / interval else { continue }
                await call.audit()
            }
        }
    }
}
