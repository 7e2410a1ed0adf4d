package import CallProtocol
internal import FoundationEssentials
package import Logging

/// An agent's end of the signaling: sends and receives messages, and makes delivery reliable if the transport does not.
///
/// Incoming messages are handed over one at a time. While the agent is busy with one, the next waits in the transport, which stops
/// reading when too many wait. Of outgoing messages ``maximumWaiting`` wait for a slow transport. Further ones fail, except for those that
/// end a call.
package actor SignalingLine {
    /// An incoming event.
    package enum Event: Sendable {
        /// A message, in order.
        case received(SignalingMessage)
        /// A message of this end was given up.
        case failed(SignalingMessage, code: Int?, text: String)
        /// The connection was lost.
        case lost(text: String)
        /// The connection is back, and waiting messages are being sent.
        case restored
        /// The token expires in this many ms.
        case tokenWillExpire(milliseconds: Int)
        /// The transport has renewed the token by itself.
        case tokenRenewed
        /// The transport could not renew the token.
        case tokenNotRenewed(text: String)
        /// STUN and TURN servers to use from now on.
        case iceServers([IceServer])
        /// The transport has ended and does not reconnect.
        case ended(SignalingError)
    }

    /// How many outgoing messages wait while the transport does not take any.
    static let maximumWaiting = 1_024
    /// How long ``close(waiting:)`` waits for acknowledgements.
    private static let acknowledgementTime = Duration.milliseconds(500)
    /// The same while there is no connection, which takes several round trips to make.
    private static let reconnectionTime = Duration.milliseconds(800)

    package nonisolated let device: String?
    private let transport: any SignalingTransport
    private let user: String
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private var handle: @Sendable (Event) async -> Void = { _ in }
    private let orders = Mailbox<Order> { $0.append($1) }
    private var delivery: Delivery
    private var tasks: [Task<Void, Never>] = []
    private var alarm: (at: Int, task: Task<Void, Never>)?
    /// Who waits until nothing of a call waits for an acknowledgement; nil: of any call.
    private var idle: [(call: CallKey?, continuation: CheckedContinuation<Void, Never>)] = []
    /// Whether nobody waits any more: the line is closed.
    private var isReleased = false
    private var connection = Connection.up
    /// The other side's clock minus this one, in ms.
    private var clockOffsetMs = 0.0

    package init(
        _ transport: any SignalingTransport, user: String, timing: DeliveryTiming = DeliveryTiming(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }, logger: Logger
    ) {
        self.transport = transport
        self.user = user
        self.sleep = sleep
        self.logger = logger
        device = transport.device
        delivery = Delivery(
            user: user, device: transport.device, isGuaranteed: transport.guaranteesDelivery,
            epoch: Int(Date().timeIntervalSince1970 * 1_000), timing: timing)
    }

    /// Signs in; returns the STUN and TURN servers that come with it.
    @discardableResult
    package func connect() async throws(SignalingError) -> [IceServer] { try await transport.connect(as: user) }

    /// Begins to send, and to pass incoming events to `handle`, in order.
    package func begin(_ handle: @escaping @Sendable (Event) async -> Void) {
        self.handle = handle
        tasks.append(Task { for await event in transport.events { await self.take(event) } })
        tasks.append(Task { while let order = await orders.next() { await self.carryOut(order) } })
    }

    /// Sends a message after those of earlier calls; its time is corrected to the other side's clock.
    package nonisolated func send(_ message: SignalingMessage) {
        guard orders.count >= Self.maximumWaiting, !message.body.isFarewell else { orders.put(.send(message)); return }
        let text = "\(Self.maximumWaiting) messages wait for the transport already"
        Task { await self.handle(.failed(message, code: nil, text: text)) }
    }

    /// Whether the peer acknowledges messages: the transport does not guarantee that they arrive.
    nonisolated var acknowledges: Bool { !transport.guaranteesDelivery }

    /// How many outgoing messages wait.
    nonisolated var waitingMessages: Int { orders.count }

    /// Stops repeating the messages of a call that is over, except its farewell.
    package nonisolated func forget(_ call: CallKey) { orders.put(.forget(call)) }

    /// The network may have changed.
    nonisolated func checkConnection() { Task { [transport] in await transport.checkConnection() } }

    func renew(token: String) async throws(SignalingError) { try await transport.renew(token: token) }

    nonisolated(nonsending) func stopTakingCalls() async { await transport.stopTakingCalls() }

    /// ms since 1970, by the clock of the message time stamps.
    var unixMs: Double { Date().timeIntervalSince1970 * 1_000 + clockOffsetMs }

    /// Waits a while for acknowledgements of sent messages, then signs out.
    ///
    /// A farewell may wait for a connection that is just made again: without it, the peer waits until it gives the call up.
    package func close(waiting: Duration? = nil) async {
        orders.finish()
        await tasks.last?.value
        if connection != .ended, !delivery.isIdle {
            let time = waiting ?? (connection == .up ? Self.acknowledgementTime : Self.reconnectionTime)
            if connection == .lost, time > .zero { checkConnection() }
            let limit = Task { try? await Task.sleep(for: time) }
            Task {
                await limit.value
                self.release { _ in true }
            }
            await wait(for: nil)
            limit.cancel()
        }
        alarm?.task.cancel()
        await transport.close()
        for task in tasks { task.cancel() }
        isReleased = true
        release { _ in true }
    }

    /// Waits until all messages of a call so far are acknowledged or given up.
    package func waitUntilAcknowledged(_ call: CallKey) async {
        let sent = AsyncStream<Void>.makeStream()
        // A line that is closed takes no orders.
        if orders.put(.note(sent.continuation)) {
            for await _ in sent.stream {}
        }
        await wait(for: call)
    }

    private func wait(for call: CallKey?) async {
        await withCheckedContinuation { isReleased || isIdle(call) ? $0.resume() : idle.append((call, $0)) }
    }

    private func isIdle(_ call: CallKey?) -> Bool { call.map(delivery.isIdle) ?? delivery.isIdle }

    /// Lets those go on who wait for these calls; nil: for any call.
    private func release(_ isOver: (CallKey?) -> Bool) {
        for waiting in idle where isOver(waiting.call) { waiting.continuation.resume() }
        idle.removeAll { isOver($0.call) }
    }

    private enum Connection {
        case up
        /// The transport connects again.
        case lost
        /// It does not.
        case ended
    }

    // MARK: Out

    private enum Order: Sendable {
        case send(SignalingMessage)
        case forget(CallKey)
        /// All orders before this one are carried out.
        case note(AsyncStream<Void>.Continuation)
    }

    private func carryOut(_ order: Order) async {
        switch order {
        case .note(let carriedOut): carriedOut.finish()
        case .forget(let call):
            delivery.forget(call)
            await carryOut([])
        case .send(var message):
            message.sentUnixMs += clockOffsetMs
            await carryOut(delivery.send(message, at: now))
        }
    }

    private func carryOut(_ actions: [Delivery.Action]) async {
        for action in actions {
            switch action {
            case .transmit(let message): await transmit(message)
            case .deliver(let message): await handle(.received(message))
            case .failed(let message, let failure):
                await handle(.failed(message, code: failure.code, text: failure.text))
            }
        }
        setAlarm()
        release(isIdle)
    }

    private func transmit(_ message: SignalingMessage) async {
        let text: String
        do throws(MalformedMessage) {
            text = try message.encoded()
        } catch {
            logger.warning("a message was not sent: \(error)")
            return await carryOut(delivery.refusedHere(message, error, at: now))
        }
        do throws(SignalingError) {
            try await transport.send(text, to: message.to)
        } catch {
            // Numbered messages are repeated when the connection is back.
            if message.sequence != nil, error == .notConnected { return }
            // Repeating it would not help.
            if case .malformed(let malformed) = error {
                return await carryOut(delivery.refusedHere(message, malformed, at: now))
            }
            logger.warning("a message was not sent: \(error)")
            await handle(.failed(message, code: nil, text: error.description))
        }
    }

    /// Schedules the next repetition.
    private func setAlarm() {
        let next = delivery.nextWake
        guard next != alarm?.at else { return }
        alarm?.task.cancel()
        alarm = next.map { next in
            let pause = Duration.milliseconds(max(next - now, 1))
            return (
                next,
                Task { [sleep] in
                    guard (try? await sleep(pause)) != nil, !Task.isCancelled else { return }
                    await self.wake()
                }
            )
        }
    }

    private func wake() async {
        alarm = nil
        await carryOut(delivery.wake(at: now))
    }

    private let epoch = ContinuousClock.now
    private var now: Int { Int((ContinuousClock.now - epoch).inMilliseconds) }

    // MARK: In

    private func take(_ event: SignalingTransportEvent) async {
        switch event {
        case .received(let text): await receive(text)
        case .disconnected(let text):
            connection = .lost
            delivery.connectionLost()
            setAlarm()
            await handle(.lost(text: text))
        case .reconnected:
            connection = .up
            await carryOut(delivery.connectionRestored(at: now))
            await handle(.restored)
        case .clock(let unixMs): clockOffsetMs = unixMs - Date().timeIntervalSince1970 * 1_000
        case .tokenWillExpire(let milliseconds): await handle(.tokenWillExpire(milliseconds: milliseconds))
        case .tokenRenewed: await handle(.tokenRenewed)
        case .tokenNotRenewed(let text): await handle(.tokenNotRenewed(text: text))
        case .iceServers(let servers, _): await handle(.iceServers(servers))
        case .ended(let error):
            connection = .ended
            // Who closes the line waits in vain.
            release { $0 == nil }
            delivery.connectionLost()
            setAlarm()
            await handle(.ended(error))
        }
    }

    private func receive(_ text: String) async {
        do throws(MalformedMessage) {
            let message = try SignalingMessage(decoding: text)
            guard message.isAddressed(to: user, device: device) else {
                return logger.debug("dropped a message for \(message.to)")
            }
            await carryOut(delivery.receive(message, at: now))
        } catch {
            logger.warning("refused a message: \(error)")
            guard let head = MessageHead(decoding: text) else { return }
            await carryOut(delivery.refuse(head, error, at: now))
        }
    }
}

extension Delivery.Failure {
    /// The code that the message was refused with.
    fileprivate var code: Int? { if case .refused(let code, _) = self { code } else { nil } }

    /// The text for display.
    fileprivate var text: String {
        switch self {
        case .unacknowledged: "nobody acknowledged it in time"
        case .tooManyWait: "\(Delivery.maximumPending) messages wait for their acknowledgement already"
        case .refused(let code, let text): text.isEmpty ? "it was refused with code \(code)" : text
        }
    }
}
