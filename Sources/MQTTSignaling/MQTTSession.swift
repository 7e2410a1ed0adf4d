internal import CallAgent
internal import CallProtocol
internal import Foundation
internal import Logging

/// The state of an ``MQTTTransport`` across all of its connections.
actor MQTTSession {
    private let configuration: MQTTTransportConfiguration
    private let queue: SignalingEventQueue
    private let logger: Logger
    private var phase = MQTTPhase.idle
    private let isInPool: Bool
    private let signIn: BrokerSignIn
    private var registration: MQTTRegistration?
    /// The connection of the current attempt or sign-in.
    private var connection: BrokerConnection?
    private var backoff: Backoff
    private var reportedRefusal: String?
    /// Before this, a connection that ends is replaced without a pause: the network changed.
    private var urgentUntil = ContinuousClock.now
    private var upkeep: Task<Void, Never>?
    private var notices = BrokerNotice()

    init(
        configuration: MQTTTransportConfiguration, isInPool: Bool,
        provider: (@Sendable () async throws -> String)?, queue: SignalingEventQueue, logger: Logger
    ) {
        (self.configuration, self.isInPool, self.queue, self.logger) = (configuration, isInPool, queue, logger)
        signIn = BrokerSignIn(configuration, password: MQTTPassword(provider: provider), logger: logger)
        backoff = Backoff(shortest: configuration.shortestRetryDelay, longest: configuration.longestRetryDelay)
    }

    // MARK: Operations of the application

    func connect(_ address: MQTTAddress, as device: Device) async throws(SignalingError) {
        switch phase {
        case .idle: break
        case .connecting: throw .signInRefused(code: 409, text: "this transport is signing in already")
        case .connected, .waiting, .reconnecting:
            guard let present = registration?.account.device.user, present != device.user else { return }
            throw .signInRefused(code: 409, text: "this transport is signed in as \(present) already")
        case .closed: throw .closed
        }
        phase = .connecting
        registration = MQTTRegistration(
            address, device, isInPool: isInPool, configuration, unixMs: Self.unixMs, logger: logger)
        do throws(SignalingError) {
            try await establish()
        } catch {
            if case .connecting = phase { phase = .idle }
            throw phase.isClosed ? .closed : error
        }
        guard case .connecting = phase else { throw .closed }
        connected()
    }

    /// `taken` is called when the message does not wait here any more, unless this throws.
    func send(_ text: String, _ taken: @escaping @Sendable () -> Void = {}) throws(SignalingError) {
        guard !phase.isClosed else { throw .closed }
        guard case .connected = phase, let connection, let registration else { throw .notConnected }
        let message: SignalingMessage
        do { message = try SignalingMessage(decoding: text) } catch { throw .malformed(error) }
        if let pool = registration.pool {
            let (publications, isPassedOn) = pool.send(message, text)
            publish(publications)
            taken()
            if isPassedOn { pass(notices.acknowledgement(of: message)) }
            noteAvailability()
        } else {
            publish([registration.account.publication(of: message, text)], taken)
        }
        registration.watch.sent(message)
        registration.watch.updateSubscriptions(on: connection, after: message)
    }

    /// Hands on what another program sent, also what this end cannot read: its receiver answers that.
    func forward(_ text: String, _ taken: @escaping @Sendable () -> Void) {
        guard (try? send(text, taken)) == nil else { return }
        guard case .connected = phase, let publication = registration?.account.publication(ofUnreadable: text) else {
            return taken()
        }
        publish([publication], taken)
    }

    func renew(token: String) throws(SignalingError) {
        switch phase {
        case .idle, .connecting: throw .notConnected
        case .closed: throw .closed
        case .waiting(let pause): pause.cancel()
        case .connected, .reconnecting: break
        }
        signIn.use(token: token)
        backoff.reset()
    }

    func checkConnection() async {
        switch phase {
        case .waiting(let pause): pause.cancel()
        case .connected:
            guard let connection else { return }
            let limit = min(configuration.checkTimeout, max(MQTTTransportConfiguration.shortestCheck, signIn.duration))
            urgentUntil = .now + limit + .seconds(1)
            let timer = connection.deadline(limit, .unreachable(text: "the broker did not answer within \(limit)"))
            _ = await registration?.own.published(on: connection, unixMs: Self.unixMs)
            timer.cancel()
        case .idle, .connecting, .reconnecting, .closed: break
        }
    }

    func watch(_ whom: WatchedPresence.Whom) async throws(SignalingError) -> AsyncStream<Presence> {
        switch phase {
        case .idle, .connecting: throw .notConnected
        case .closed: throw .closed
        case .connected, .waiting, .reconnecting: break
        }
        guard let watch = registration?.watch else { throw .notConnected }
        let stream = watch.begin(whom)
        guard case .connected = phase else { return stream }
        if let reason = await updateSubscriptions(), reason >= 0x80 {
            watch.refused(whom)
            throw .signInRefused(code: 403, text: "the broker does not let this user watch the presence of others")
        }
        await roundTrip()
        watch.reportAll()
        return stream
    }

    /// Takes no more calls of the pool; those under way go on.
    func stopTakingCalls() {
        registration?.pool?.leave(connection)
        noteAvailability()
    }

    /// - Parameter isSilent: the presence stays, until it ends by itself.
    func close(isSilent: Bool = false) async {
        let before = phase
        guard !phase.isClosed else { return }
        phase = .closed
        switch before {
        case .waiting(let pause): pause.cancel()
        case .connected:
            guard let connection, let account = registration?.account else { break }
            let timer = connection.deadline(configuration.closeTimeout, .closed)
            if !isSilent {
                await withCheckedContinuation { continuation in
                    connection.publish("", to: account.presenceTopic, isRetained: true) { _ in continuation.resume() }
                }
            }
            timer.cancel()
            connection.close()
        case .idle, .connecting, .reconnecting, .closed: connection?.abandon(.closed)
        }
        finish()
    }

    private static var unixMs: Double { Date().timeIntervalSince1970 * 1_000 }
    private let epoch = ContinuousClock.now
    private var now: Int { Int((ContinuousClock.now - epoch) / .milliseconds(1)) }

    // MARK: Signing in

    private func establish() async throws(SignalingError) {
        guard let registration else { throw .notConnected }
        do throws(SignalingError) {
            try await signIn.run(
                registration, unixMs: { Self.unixMs },
                begin: { connection throws(BrokerFailure) in try self.begin(connection, registration) })
        } catch {
            connection = nil
            throw error
        }
    }

    private func begin(_ connection: BrokerConnection, _ registration: MQTTRegistration) throws(BrokerFailure) {
        guard !phase.isClosed else { throw .closed }
        self.connection = connection
        registration.connectionBegan(at: now)
        Task { [weak self] in
            for await message in connection.messages {
                await self?.take(message)
                connection.took(message)
            }
            await self?.ended(connection)
        }
    }

    /// Waits until the broker has delivered what it had before.
    private func roundTrip() async {
        guard let connection, let own = registration?.own else { return }
        await own.wait(for: own.publish(on: connection, unixMs: Self.unixMs), on: connection)
    }

    private func connected() {
        phase = .connected
        backoff.reset()
        reportedRefusal = nil
        let interval = configuration.presenceValidity / 3
        let grace = Duration.milliseconds(WatchedPresence.graceMs)
        upkeep = Task { [weak self] in
            if interval > grace, (try? await Task.sleep(for: grace)) != nil { await self?.renewPresence() }
            // Devices that signed in together do not renew together.
            while (try? await Task.sleep(for: interval * .random(in: 0.9...1))) != nil { await self?.renewPresence() }
        }
        // Not a part of the sign-in: all users may be more than the broker lets wait at once.
        Task { await self.beginWatching() }
        if registration?.pool?.answersNotes == true { publishPresence() }
        logger.info("signed in", metadata: ["user": "\(registration?.account.device.user ?? "")"])
    }

    /// Subscribes to the presence that mattered before, and reports it.
    private func beginWatching() async {
        guard let watch = registration?.watch else { return }
        let whom = watch.whom
        guard await updateSubscriptions() != nil, whom != nil else { return }
        await roundTrip()
        if watch.whom == whom { watch.reportAll() }
    }

    private func updateSubscriptions() async -> Int32? {
        guard let connection, let watch = registration?.watch else { return nil }
        return await withCheckedContinuation { continuation in
            watch.updateSubscriptions(on: connection) { continuation.resume(returning: $0) }
        }
    }

    private func renewPresence() {
        guard case .connected = phase, let registration else { return }
        notify(registration.watch.expire(at: now))
        registration.pool?.renew(at: now)
        publishPresence()
    }

    /// Publishes a note when this member of a pool is free now, or no more.
    private func noteAvailability() {
        if registration?.own.isFree != registration?.pool?.isFree { publishPresence() }
    }

    /// Shows this member's note to another one that has just connected.
    private func answerNote() async {
        await registration?.pool?.pauseBeforeAnswer()
        publishPresence()
    }

    private func publishPresence() {
        guard let registration else { return }
        registration.own.isFree = registration.pool?.isFree
        guard case .connected = phase, let connection else { return }
        registration.own.publish(on: connection, unixMs: Self.unixMs)
    }

    // MARK: The end of a connection

    private func ended(_ ended: BrokerConnection) async {
        guard connection === ended else { return }
        registration?.own.connectionEnded()
        // An attempt that fails is reported by the one who made it.
        guard case .connected = phase else { return }
        connection = nil
        signIn.nodeWasLost()
        upkeep?.cancel()
        let text = ended.failure.map { $0.description } ?? ""
        logger.notice("signaling connection lost", metadata: ["reason": "\(text)"])
        var pause = ContinuousClock.now < urgentUntil ? Duration.zero : backoff.pause(chance: .random(in: 0...1))
        var reason: String? = text
        while true {
            let limit = pause
            let timer = Task { _ = try? await Task.sleep(for: limit) }
            phase = .waiting(timer)
            // The phase changes first: the receiver of the event may send at once.
            if let text = reason.take() { _ = queue.put(.disconnected(text: text)) }
            await timer.value
            guard case .waiting = phase else { return }
            phase = .reconnecting
            do throws(SignalingError) {
                try await establish()
                guard case .reconnecting = phase else { return }
                connected()
                _ = queue.put(.reconnected)
                return
            } catch {
                guard case .reconnecting = phase else { return }
                logger.debug("reconnecting failed", metadata: ["reason": "\(error)"])
                pause = backoff.pause(chance: .random(in: 0...1))
                if case .signInRefused(_, let text) = error {
                    signIn.use(token: nil)
                    if reportedRefusal != text { (reportedRefusal, reason) = (text, error.description) }
                }
            }
        }
    }

    private func finish() {
        upkeep?.cancel()
        queue.finish()
        registration?.watch.finish()
        registration?.own.connectionEnded()
    }

    // MARK: Messages

    private func take(_ message: BrokerConnection.Message) async {
        guard !phase.isClosed, let registration else { return }
        let own = registration.account.device
        switch registration.account.topics.meaning(of: message.topic) {
        case .message(_, let user, _) where user != own.user: break
        case .message(_, _, .device(let name)) where name != own.device: break
        case .message(let sender, _, let inbox): await receive(message.text, from: sender, via: inbox, registration)
        case .presence(let device):
            let note = PresenceNote(decoding: message.text)
            // Neither a note nor the end of one.
            guard note != nil || message.text.isEmpty else { return }
            if device == own { takeOwn(note, registration.own) }
            let (gone, isAnswered) = registration.take(
                note, of: device, isRetained: message.isRetained, at: now, unixMs: Self.unixMs)
            notify(gone)
            if isAnswered { Task { await self.answerNote() } }
        case nil: break
        }
    }

    /// Hands a message over whose sender is the one that the broker let publish to this topic.
    private func receive(
        _ text: String, from sender: Device, via inbox: Topics.Inbox, _ registration: MQTTRegistration
    ) async {
        let message = try? SignalingMessage(decoding: text)
        let caller = registration.pool?.caller(of: message, passedOnBy: sender, via: inbox)
        guard caller != nil || registration.account.accepts(text, from: sender) else {
            return logger.debug("dropped a message that is not from the sender of its topic")
        }
        if let pool = registration.pool {
            let (isForAgent, publications) = pool.receive(message, text, from: sender, via: inbox)
            publish(publications)
            noteAvailability()
            guard isForAgent else { return }
            if let message, message.body.isInvite {
                Task { publish(await pool.acknowledgeInTime(message.receivedKey)) }
            }
        }
        if let message, let connection {
            registration.watch.received(message, from: caller ?? sender, as: registration.account.device.device)
            registration.watch.updateSubscriptions(on: connection, after: message)
        }
        guard !queue.put(.received(text)) else { return }
        await withCheckedContinuation { continuation in queue.whenThereIsRoom { continuation.resume() } }
    }

    private func publish(_ publications: [Publication], _ taken: @escaping @Sendable () -> Void = {}) {
        guard let connection else { return taken() }
        for publication in publications {
            connection.publish(
                publication.text, to: publication.topic, expirySeconds: publication.expirySeconds
            ) { [weak self] reason in
                taken()
                guard let reason, reason >= 0x10 else { return }
                Task { [weak self] in await self?.refused(publication, reason) }
            }
        }
    }

    /// The broker did not hand a message on.
    private func refused(_ publication: Publication, _ reason: Int32) {
        switch publication.ifRefused {
        case .report(let message): pass(notices.refusal(of: message, reason: reason, unixMs: Self.unixMs))
        case .passOn(let call): publish(registration?.pool?.passOnAgain(call) ?? [])
        }
    }

    /// Hands a message over that this end made itself.
    private func pass(_ message: SignalingMessage?) {
        if let text = try? message?.encoded() { _ = queue.put(.received(text)) }
    }

    // MARK: Presence

    private func takeOwn(_ note: PresenceNote?, _ own: OwnPresence) {
        switch own.take(note) {
        case .nothing: break
        case .publish:
            guard let connection else { return }
            own.publish(on: connection, unixMs: Self.unixMs)
        case .giveUp:
            logger.notice("there is a later sign-in as the same user and device")
            // The retained message is that one's now.
            connection?.close()
            phase = .closed
            _ = queue.put(.ended(.replaced(text: "a later sign-in at the broker")))
            finish()
        }
    }

    private func notify(_ gone: [PresenceWatch.Gone]) { for one in gone { Task { await self.notify(one) } } }

    /// Waits a moment: a program that has just connected again is not gone, although its former connection left a last will.
    private func notify(_ gone: PresenceWatch.Gone) async {
        try? await Task.sleep(for: WatchedPresence.returnTime)
        guard let registration, !registration.watch.isBack(gone) else { return }
        let user = registration.account.device.user
        pass(notices.gone(gone.device, callId: gone.callId, to: user, unixMs: Self.unixMs))
    }
}
