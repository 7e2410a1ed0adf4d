internal import CallProtocol
internal import FoundationEssentials
internal import Logging

/// An agent's end of the signaling: messages go out and come in, delivered as far as the transport needs help with it.
///
/// What comes in is handed over one at a time: while the agent is busy with one, the next waits in the transport, which stops reading
/// when it has too many.
actor SignalingLine {
    /// What comes in.
    enum Event: Sendable {
        /// A message, in its order.
        case received(SignalingMessage)
        /// A message of this end was given up.
        case failed(SignalingMessage, code: Int?, text: String)
        /// The connection was lost.
        case lost(text: String)
        /// It is back, and what waited is on its way.
        case restored
        /// The token expires in so many ms.
        case tokenWillExpire(milliseconds: Int)
        /// STUN and TURN servers to use from now on.
        case iceServers([IceServer])
        /// The transport has ended for good.
        case ended(SignalingError)
    }

    nonisolated let device: String?
    private let transport: any SignalingTransport
    private let user: String
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private var handle: @Sendable (Event) async -> Void = { _ in }
    private let orders: AsyncStream<Order>
    private let outgoing: AsyncStream<Order>.Continuation
    private var delivery: Delivery
    private var tasks: [Task<Void, Never>] = []
    private var alarm: (at: Int, task: Task<Void, Never>)?
    private var idle: [CheckedContinuation<Void, Never>] = []
    private var isConnected = true
    /// The other side's clock minus this one, in ms.
    private var clockOffsetMs = 0.0

    init(
        _ transport: any SignalingTransport, user: String, timing: DeliveryTiming,
        sleep: @escaping @Sendable (Duration) async throws -> Void, logger: Logger
    ) {
        self.transport = transport
        self.user = user
        self.sleep = sleep
        self.logger = logger
        device = transport.device
        delivery = Delivery(
            user: user, device: transport.device, isGuaranteed: transport.guaranteesDelivery, timing: timing)
        (orders, outgoing) = AsyncStream.makeStream()
    }

    /// Signs in.
    func connect() async throws(SignalingError) { try await transport.connect(as: user) }

    /// Begins to send, and to hand over what comes in, in order, to `handle`.
    func begin(_ handle: @escaping @Sendable (Event) async -> Void) {
        self.handle = handle
        tasks.append(Task { for await event in transport.events { await self.take(event) } })
        tasks.append(Task { for await order in orders { await self.carryOut(order) } })
    }

    /// Sends a message after those of earlier calls; whatever its time of sending, it is stamped by the other side's clock.
    nonisolated func send(_ message: SignalingMessage) { outgoing.yield(.send(message)) }

    /// Repeats nothing of a call that is over, but its farewell.
    nonisolated func forget(_ call: CallKey) { outgoing.yield(.forget(call)) }

    func renew(token: String) async throws(SignalingError) { try await transport.renew(token: token) }

    /// ms since 1970 by the clock that messages are stamped with.
    var unixMs: Double { Date().timeIntervalSince1970 * 1_000 + clockOffsetMs }

    /// Waits a while for what was sent to be acknowledged, then signs out.
    func close(waiting: Duration = .milliseconds(500)) async {
        outgoing.finish()
        await tasks.last?.value
        if isConnected, !delivery.isIdle {
            let limit = Task { try? await Task.sleep(for: waiting) }
            Task {
                await limit.value
                self.releaseWaiting()
            }
            await withCheckedContinuation { delivery.isIdle ? $0.resume() : idle.append($0) }
            limit.cancel()
        }
        alarm?.task.cancel()
        await transport.close()
        for task in tasks { task.cancel() }
    }

    private func releaseWaiting() {
        for waiting in idle { waiting.resume() }
        idle = []
    }

    // MARK: Out

    private enum Order: Sendable {
        case send(SignalingMessage)
        case forget(CallKey)
    }

    private func carryOut(_ order: Order) async {
        switch order {
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
        if delivery.isIdle { releaseWaiting() }
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
            // What is numbered is repeated when the connection is back.
            if message.sequence != nil, error == .notConnected { return }
            logger.warning("a message was not sent: \(error)")
            await handle(.failed(message, code: nil, text: error.description))
        }
    }

    /// Wakes the delivery when the next repetition is due.
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
            isConnected = false
            delivery.connectionLost()
            setAlarm()
            await handle(.lost(text: text))
        case .reconnected:
            isConnected = true
            await carryOut(delivery.connectionRestored(at: now))
            await handle(.restored)
        case .clock(let unixMs): clockOffsetMs = unixMs - Date().timeIntervalSince1970 * 1_000
        case .tokenWillExpire(let milliseconds): await handle(.tokenWillExpire(milliseconds: milliseconds))
        case .iceServers(let servers, _): await handle(.iceServers(servers))
        case .ended(let error):
            isConnected = false
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

    /// For people.
    fileprivate var text: String {
        switch self {
        case .unacknowledged: "nobody acknowledged it in time"
        case .tooManyWait: "\(Delivery.maximumPending) messages wait for their acknowledgement already"
        case .refused(let code, let text): text.isEmpty ? "it was refused with code \(code)" : text
        }
    }
}
