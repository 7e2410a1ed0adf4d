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
    private var account: MQTTAccount?
    private var password: MQTTPassword
    private var version = BrokerSettings.Version.v5
    /// Which of the broker's nodes is next, counted on without end.
    private var node = 0
    /// The connection of the current attempt or sign-in.
    private var connection: BrokerConnection?
    private var backoff: Backoff
    private var reportedRefusal: String?
    private var signInTime = Duration.zero
    /// Before this, a connection that ends is replaced without a pause: the network changed.
    private var urgentUntil = ContinuousClock.now
    private var upkeep: Task<Void, Never>?
    private var barrier = NoteBarrier()
    private var presence = WatchedPresence()
    /// Where the application reads who is signed in.
    private var watcher: AsyncStream<Presence>.Continuation?
    private var notices = BrokerNotice()

    init(
        configuration: MQTTTransportConfiguration, provider: (@Sendable () async throws -> String)?,
        queue: SignalingEventQueue, logger: Logger
    ) {
        (self.configuration, self.queue, self.logger) = (configuration, queue, logger)
        password = MQTTPassword(provider: provider)
        backoff = Backoff(shortest: configuration.shortestRetryDelay, longest: configuration.longestRetryDelay)
    }

    // MARK: Operations of the application

    func connect(_ address: MQTTAddress, as device: Device) async throws(SignalingError) {
        switch phase {
        case .idle: break
        case .connecting: throw .signInRefused(code: 409, text: "this transport is signing in already")
        case .connected, .waiting, .reconnecting:
            guard let present = account?.device.user, present != device.user else { return }
            throw .signInRefused(code: 409, text: "this transport is signed in as \(present) already")
        case .closed: throw .closed
        }
        phase = .connecting
        account = MQTTAccount(address, device, unixMs: Self.unixMs)
        do throws(SignalingError) {
            try await signIn()
        } catch {
            if case .connecting = phase { phase = .idle }
            throw phase.isClosed ? .closed : error
        }
        guard case .connecting = phase else { throw .closed }
        connected()
    }

    func send(_ text: String) throws(SignalingError) {
        guard !phase.isClosed else { throw .closed }
        guard case .connected = phase, let connection, let account else { throw .notConnected }
        let message: SignalingMessage
        do { message = try SignalingMessage(decoding: text) } catch { throw .malformed(error) }
        let (topic, expiry) = (account.topic(for: message), account.expirySeconds(of: message))
        connection.publish(text, to: topic, expirySeconds: expiry) { [weak self] reason in
            guard let reason, reason >= 0x10 else { return }
            Task { [weak self] in await self?.refuse(message, reason) }
        }
        presence.sent(message)
        updateFilters()
    }

    func renew(token: String) throws(SignalingError) {
        switch phase {
        case .idle, .connecting: throw .notConnected
        case .closed: throw .closed
        case .waiting(let pause): pause.cancel()
        case .connected, .reconnecting: break
        }
        password.renewed = token
        backoff.reset()
    }

    func checkConnection() async {
        switch phase {
        case .waiting(let pause): pause.cancel()
        case .connected:
            guard let connection else { return }
            let limit = min(configuration.checkTimeout, max(MQTTTransportConfiguration.shortestCheck, signInTime))
            urgentUntil = .now + limit + .seconds(1)
            let timer = connection.deadline(limit, .unreachable(text: "the broker did not answer within \(limit)"))
            _ = await publishPresence()
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
        watcher?.finish()
        let (stream, inbox) = AsyncStream<Presence>.makeStream(bufferingPolicy: .bufferingNewest(4_096))
        (watcher, presence.whom) = (inbox, whom)
        guard case .connected = phase else { return stream }
        if let reason = await updateFilters().value, reason >= 0x80 {
            inbox.finish()
            // Another call may have taken its place.
            if presence.whom == whom { presence.whom = nil }
            throw .signInRefused(code: 403, text: "the broker does not let this user watch the presence of others")
        }
        await waitForNote()
        report(presence.reportAll())
        return stream
    }

    func close() async {
        let before = phase
        guard !phase.isClosed else { return }
        phase = .closed
        switch before {
        case .waiting(let pause): pause.cancel()
        case .connected:
            guard let connection, let account else { break }
            let timer = connection.deadline(configuration.closeTimeout, .closed)
            _ = await connection.publish("", to: account.presenceTopic, isRetained: true)
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

    /// Connects, subscribes and publishes the presence: at the first node that can be reached, and with an older version of MQTT if the broker has
    /// no other.
    private func signIn() async throws(SignalingError) {
        guard let account else { throw .notConnected }
        let password = try await password.current()
        let nodes = account.address.nodes
        if password != nil { for node in nodes { self.password.warnIfPlain(node, logger) } }
        var failure = BrokerFailure.closed
        for _ in nodes {
            let (url, start) = (nodes[node % nodes.count], ContinuousClock.now)
            do throws(BrokerFailure) {
                do throws(BrokerFailure) {
                    try await attempt(account, url, password)
                } catch {
                    guard error == .unsupportedVersion, version == .v5 else { throw error }
                    version = .v311
                    try await attempt(account, url, password)
                }
                signInTime = .now - start
                return
            } catch {
                connection?.abandon(.closed)
                connection = nil
                failure = error
                // Another node would say the same.
                guard case .unreachable = error else { break }
                node += 1
            }
        }
        throw failure.signalingError(account.address.text, hasPassword: password != nil)
    }

    private func attempt(
        _ account: MQTTAccount, _ url: SignalingURL, _ password: String?
    ) async throws(BrokerFailure) {
        guard !phase.isClosed else { throw .closed }
        let attempt = BrokerConnection(account.settings(url, version, configuration, password: password))
        connection = attempt
        let limit = configuration.connectTimeout
        let late = BrokerFailure.unreachable(text: "no answer within \(limit)")
        let timer = attempt.deadline(limit, late)
        defer { timer.cancel() }
        try await attempt.open()
        Task { [weak self] in
            for await message in attempt.messages {
                await self?.take(message)
                attempt.took(message)
            }
            await self?.ended(attempt)
        }
        presence.begin(at: now)
        guard let granted = await attempt.subscribe(account.filters) else { throw attempt.failure ?? .closed }
        guard granted < 0x80 else {
            throw .refused(reason: granted, text: "the broker refuses the topics of this user")
        }
        let (published, number) = await publishPresence()
        guard let published else { throw attempt.failure ?? .closed }
        guard published < 0x80 else {
            throw .refused(reason: published, text: "the broker refuses the presence of this user")
        }
        await waitForNote(number)
        if let failure = attempt.failure {
            guard failure == late else { throw failure }
            throw .refused(
                reason: 0x87, text: "the broker delivers nothing to this user; do its access rules allow that?")
        }
    }

    /// Waits until a note of this device has come back, by default the next one.
    private func waitForNote(_ number: Int? = nil) async {
        guard let connection, connection.failure == nil else { return }
        await withCheckedContinuation { continuation in
            barrier.wait(for: number ?? barrier.published + 1, continuation)
            if number == nil { Task { await publishPresence() } }
        }
    }

    /// Publishes a note; returns the reason code of its acknowledgement, nil without one, and its number.
    @discardableResult private func publishPresence() async -> (reason: Int32?, number: Int) {
        let number = barrier.next()
        guard let account, let connection else { return (nil, number) }
        let validity = configuration.presenceValidity
        let note = account.note(number, validForMs: Int(validity / .milliseconds(1)), unixMs: Self.unixMs)
        let reason = await connection.publish(
            note, to: account.presenceTopic, isRetained: true, expirySeconds: UInt32(validity / .seconds(1)))
        return (reason, number)
    }

    private func connected() {
        phase = .connected
        backoff.reset()
        reportedRefusal = nil
        let interval = configuration.presenceValidity / 3
        let grace = Duration.milliseconds(WatchedPresence.graceMs)
        upkeep = Task { [weak self] in
            if interval > grace, (try? await Task.sleep(for: grace)) != nil { await self?.renewPresence() }
            while (try? await Task.sleep(for: interval)) != nil { await self?.renewPresence() }
        }
        // Not a part of the sign-in: all users may be more than the broker lets wait at once.
        Task { await self.beginWatching() }
        logger.info("signed in", metadata: ["user": "\(account?.device.user ?? "")"])
    }

    /// Subscribes to the presence that mattered before, and reports it.
    private func beginWatching() async {
        let whom = presence.whom
        guard await updateFilters().value != nil, whom != nil else { return }
        await waitForNote()
        if presence.whom == whom { report(presence.reportAll()) }
    }

    private func renewPresence() async {
        guard case .connected = phase else { return }
        report(presence.expire(at: now))
        await publishPresence()
    }

    // MARK: The end of a connection

    private func ended(_ ended: BrokerConnection) async {
        guard connection === ended else { return }
        barrier.release()
        // An attempt that fails is reported by the one who made it.
        guard case .connected = phase else { return }
        connection = nil
        node += 1
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
                try await signIn()
                guard case .reconnecting = phase else { return }
                connected()
                _ = queue.put(.reconnected)
                return
            } catch {
                guard case .reconnecting = phase else { return }
                logger.debug("reconnecting failed", metadata: ["reason": "\(error)"])
                pause = backoff.pause(chance: .random(in: 0...1))
                if case .signInRefused(_, let text) = error {
                    password.renewed = nil
                    if reportedRefusal != text { (reportedRefusal, reason) = (text, error.description) }
                }
            }
        }
    }

    private func finish() {
        upkeep?.cancel()
        queue.finish()
        watcher?.finish()
        barrier.release()
    }

    // MARK: Messages

    private func take(_ message: BrokerConnection.Message) async {
        guard !phase.isClosed, let account else { return }
        switch account.topics.meaning(of: message.topic) {
        case .message(let sender, let user, let device):
            guard user == account.device.user, device == nil || device == account.device.device else { return }
            await receive(message.text, from: sender)
        case .presence(let device):
            let note = PresenceNote(decoding: message.text)
            // Neither a note nor the end of one.
            guard note != nil || message.text.isEmpty else { return }
            if device == account.device { takeOwn(note) }
            report(
                presence.take(note, of: device, isRetained: message.isRetained, at: now, unixMs: Self.unixMs))
        case nil: break
        }
    }

    /// Hands a message over whose sender is the one that the broker let publish to this topic.
    private func receive(_ text: String, from sender: Device) async {
        guard let account, account.accepts(text, from: sender) else {
            return logger.debug("dropped a message that is not from the sender of its topic")
        }
        if let message = try? SignalingMessage(decoding: text) {
            presence.received(message, from: sender, as: account.device.device)
            updateFilters()
        }
        guard !queue.put(.received(text)) else { return }
        await withCheckedContinuation { continuation in queue.whenThereIsRoom { continuation.resume() } }
    }

    /// The broker did not hand a message on.
    private func refuse(_ message: SignalingMessage, _ reason: Int32) {
        pass(notices.refusal(of: message, reason: reason, unixMs: Self.unixMs))
    }

    /// Hands a message over that this end made itself.
    private func pass(_ message: SignalingMessage?) {
        if let text = try? message?.encoded() { _ = queue.put(.received(text)) }
    }

    // MARK: Presence

    private func takeOwn(_ note: PresenceNote?) {
        switch account?.claim.take(note) {
        case .nothing, nil:
            if let note, note.session == account?.claim.session { barrier.reached(note.number) }
        case .publish: Task { await publishPresence() }
        case .giveUp:
            logger.notice("another program signed in as the same user and device")
            // The retained message is the other program's now.
            connection?.close()
            phase = .closed
            _ = queue.put(.ended(.replaced(text: "a later sign-in at the broker")))
            finish()
        }
    }

    private func report(_ reports: [WatchedPresence.Report]) {
        for report in reports {
            switch report {
            case .gone(let callId, let device, let session):
                Task { await self.notify(callId, gone: device, session) }
            case .presence(let presence): watcher?.yield(presence)
            }
        }
    }

    /// Waits a moment: a program that has just connected again is not gone, although its former connection left a last will.
    private func notify(_ callId: String, gone device: Device, _ session: String) async {
        try? await Task.sleep(for: WatchedPresence.returnTime)
        guard presence.session(of: device) != session, let account else { return }
        pass(notices.gone(device, callId: callId, to: account.device.user, unixMs: Self.unixMs))
    }

    /// Subscribes to the presence that matters now, and to no other; the value is the broker's reason code.
    @discardableResult private func updateFilters() -> Task<Int32?, Never> {
        guard let connection, let account else { return Task { nil } }
        let (added, removed) = presence.changeFilters(account.topics)
        for filter in removed where filter != account.presenceTopic { connection.unsubscribe(filter) }
        guard !added.isEmpty else { return Task { 0 } }
        return Task {
            let reason = await connection.subscribe(added)
            if let reason, reason >= 0x80 { logger.warning("the broker refuses to show who is signed in") }
            return reason
        }
    }
}
