internal import CallProtocol
internal import Crypto
internal import FoundationEssentials
internal import Logging
internal import NIOCore
internal import NIOWebSocket

/// Connects the ``Switchboard`` with the connections of one server.
///
/// It runs on one event loop, like all connections of the server. So a message is read, routed and written without locks and
/// without a change of thread.
final class Exchange {
    let configuration: ServerConfiguration
    let logger: Logger
    private let relay: (any SignalingRelay)?
    private let loop: any EventLoop
    private var switchboard: Switchboard
    private var admission: Admission<ObjectIdentifier>
    private var metrics = ServerMetrics()
    private var log: ServerLog
    /// The WebSocket connections, until their sockets are closed.
    private var handlers: [ConnectionID: ConnectionHandler] = [:]
    /// The clients at the relay.
    private var relayLines: [ConnectionID: RelayLine] = [:]
    /// When the relay could not be reached for the last time.
    private var relayFault: NIODeadline?
    private var timers: [ConnectionID: [SessionTimer: Scheduled<Void>]] = [:]
    /// Every accepted socket.
    private var sockets: [ObjectIdentifier: SendQueue] = [:]
    /// The number of bytes that wait at all sockets, and at the relay.
    private var backlog = 0
    private var outbox: [Delivery] = []
    private var isDelivering = false
    private var drain: Drain?

    /// Whether the server is stopping.
    var isDraining: Bool { drain != nil }

    private enum Delivery {
        case message(ByteBuffer, to: ConnectionID)
        case close(ConnectionID, text: String)
        case throwOut(ConnectionID, text: String)
    }

    /// The sockets that the shutdown waits for.
    private struct Drain {
        var remaining: Set<ObjectIdentifier>
        let promise: EventLoopPromise<Void>
    }

    init(
        configuration: ServerConfiguration, policy: SwitchboardPolicy, relay: (any SignalingRelay)?, logger: Logger,
        loop: any EventLoop
    ) {
        self.relay = relay
        self.configuration = configuration
        self.logger = logger
        self.loop = loop
        log = ServerLog(logger)
        switchboard = Switchboard(policy: policy)
        admission = Admission(configuration)
    }

    // MARK: What the connections report

    /// A socket was accepted.
    ///
    /// - Returns: the first handler for its pipeline; nil if a limit is reached, and the socket is closed at once.
    func accepted(_ channel: any Channel) -> SendQueue? {
        let socket = ObjectIdentifier(channel)
        let peer = IPAddress(channel.remoteAddress)
        if let refusal = admission.admit(socket, from: peer) {
            refused(refusal.rawValue, peer)
            channel.close(promise: nil)
            return nil
        }
        metrics.accepted()
        let queue = SendQueue(channel, exchange: self)
        sockets[socket] = queue
        channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
            sockets[socket] = nil
            admission.left(socket)
            drain?.remaining.remove(socket)
            finishDraining()
        }
        return queue
    }

    /// A request arrived: returns its client, or nil if the address has too many connections.
    func client(of request: Admission<ObjectIdentifier>.Request, on channel: any Channel) -> ClientAddress? {
        if let client = admission.client(of: request, on: ObjectIdentifier(channel)) { return client }
        refused(ConnectionCensus<ObjectIdentifier>.Refusal.address.rawValue, request.peer)
        return nil
    }

    /// Whether the page that sends the request may open a WebSocket.
    func verdict(on request: Admission<ObjectIdentifier>.Request) -> BrowserOrigin.Verdict {
        admission.verdict(on: request)
    }

    /// Whether the `Host` of the request is a name of this server.
    func isOwnName(_ request: Admission<ObjectIdentifier>.Request) -> Bool { admission.isOwnName(request) }

    private func refused(_ bound: String, _ peer: IPAddress?) {
        metrics.refusedConnection(bound)
        logger.debug("connection refused", metadata: ["bound": "\(bound)", "address": "\(ServerLog.text(peer))"])
    }

    /// A client upgraded to WebSocket.
    func opened(_ handler: ConnectionHandler) -> ConnectionID {
        let connection = switchboard.opened(at: now())
        handlers[connection] = handler
        return connection
    }

    /// A frame of any kind arrived.
    func receivedFrame(on connection: ConnectionID) {
        perform(switchboard.receivedFrame(on: connection, at: now()))
    }

    func received(_ text: ByteBuffer, on connection: ConnectionID) {
        let start = NIODeadline.now()
        let now = now()
        metrics.received(bytes: text.readableBytes)
        if let instead = switchboard.tooFast(connection, at: now) {
            metrics.droppedMessage()
            return perform(instead)
        }
        let wasSignedIn = switchboard.party(of: connection) != nil
        let envelope = Envelope(decoding: text.readableBytesView)
        let actions = switchboard.received(envelope, on: connection, at: now)
        if !wasSignedIn { noteRefusal(actions, envelope, connection, at: now) }
        perform(actions, forwarding: text)
        switch actions.first {
        case .forward, .relay:
            metrics.routed(type: envelope?.type, seconds: Double((NIODeadline.now() - start).nanoseconds) / 1e9)
        default: break
        }
        if !wasSignedIn { noteSignIn(connection) }
    }

    private func noteSignIn(_ connection: ConnectionID) {
        guard let party = switchboard.party(of: connection) else { return }
        if let socket = handlers[connection]?.channelIdentifier { admission.signedIn(socket) }
        logger.info("signed in", metadata: Self.metadata(party, connection))
    }

    func signInTimedOut(_ connection: ConnectionID) {
        let actions = switchboard.signInTimedOut(connection)
        noteRefusal(actions, nil, connection, at: now())
        perform(actions)
    }

    private func noteRefusal(
        _ actions: [SwitchboardAction], _ envelope: Envelope?, _ connection: ConnectionID, at now: Moment
    ) {
        guard case .send(.refused(let code, let text), _) = actions.first else { return }
        log.refused(
            user: envelope?.user, device: envelope?.device, from: handlers[connection]?.client, code: code, text: text,
            at: now)
    }

    /// Nothing can be sent to `connection` any more; its socket may still be closing.
    func closed(_ connection: ConnectionID, isSilent: Bool) {
        if let party = switchboard.party(of: connection) {
            logger.info("signed out", metadata: Self.metadata(party, connection))
        }
        for timer in (timers.removeValue(forKey: connection) ?? [:]).values { timer.cancel() }
        if let line = relayLines.removeValue(forKey: connection) {
            backlog -= line.bytes
            line.leave(isSilent: isSilent)
        }
        perform(switchboard.closed(connection, isSilent: isSilent, at: now()))
    }

    /// The socket of `connection` is closed.
    func ended(_ connection: ConnectionID) { handlers[connection] = nil }

    /// `bytes` were written to the socket of a connection, and `pending` bytes wait there.
    func sent(bytes: Int, pending: Int) { metrics.sent(bytes: bytes, pending: pending) }

    /// The metrics as text for Prometheus.
    func metricsText() -> String {
        metrics.text(
            ServerMetrics.Gauges(
                connections: admission.count, users: switchboard.devices.count, devices: switchboard.deviceCount,
                calls: switchboard.calls.count, pendingBytes: backlog))
    }

    // MARK: Who is denied

    /// The deny list was read: closes the connections that it denies; nil if the list has not changed.
    ///
    /// - Returns: false if the server is stopping and needs no more lists.
    func denied(by list: DenyList?) -> Bool {
        guard !isDraining else { return false }
        guard let list else { return true }
        let actions = switchboard.deny(list)
        logger.notice(
            "deny list read",
            metadata: [
                "tokens": "\(list.tokenIDs.count)", "users": "\(list.users.count)", "closed": "\(actions.count)",
            ])
        perform(actions)
        return true
    }

    // MARK: What waits to be sent

    /// The number of bytes that wait at one socket.
    func waitingBytes(at channel: any Channel) -> Int { sockets[ObjectIdentifier(channel)]?.waiting ?? 0 }

    func backlogChanged(by bytes: Int) { backlog += bytes }

    /// Disconnects the clients with most waiting bytes until the limit for all clients together is kept.
    ///
    /// One that does not read gets no close frame, which would have to wait behind the other bytes.
    func keepBacklogBound() {
        while backlog > configuration.pendingBytesInAll, let most = sockets.values.max(by: { $0.waiting < $1.waiting })
        {
            let line = relayLines.max { $0.value.bytes < $1.value.bytes }
            let atRelay = line?.value.bytes ?? 0
            logger.warning(
                "a client was cut off, since too much waits for all together",
                metadata: ["bytes": "\(max(most.waiting, atRelay))", "inAll": "\(backlog)"])
            metrics.cutOff()
            if let line, atRelay > most.waiting {
                handlers[line.key]?.throwOut(text: Self.tooMuchWaits)
                guard relayLines[line.key] == nil else { return }
                continue
            }
            most.cut()
            // Closing drops the waiting bytes. If it ever does not, this prevents an endless loop.
            guard most.waiting == 0 else { return }
        }
    }

    // MARK: Stopping

    /// Closes every connection, WebSocket connections with status 1001.
    ///
    /// Succeeds when all sockets that were open are closed. Later connections, such as for `/healthz`, are then cut.
    func drain(grace: TimeAmount) -> EventLoopFuture<Void> {
        if let drain { return drain.promise.futureResult }
        let promise = loop.makePromise(of: Void.self)
        drain = Drain(remaining: Set(sockets.keys), promise: promise)
        // Copies: closing removes entries from both.
        let speaking = Array(handlers.values)
        let webSockets = Set(speaking.compactMap(\.channelIdentifier))
        let others = sockets.filter { !webSockets.contains($0.key) }
        for handler in speaking { handler.close(.goingAway, text: "the server stops", within: grace) }
        for socket in others.values { socket.channel.close(promise: nil) }
        loop.assumeIsolated().scheduleTask(in: grace) { [self] in
            for socket in Array(sockets.values) { socket.channel.close(promise: nil) }
        }
        finishDraining()
        return promise.futureResult
    }

    private func finishDraining() {
        guard let drain, drain.remaining.isEmpty else { return }
        drain.promise.succeed()
        for socket in Array(sockets.values) { socket.channel.close(promise: nil) }
    }

    // MARK: What the switchboard wants

    private func perform(_ actions: [SwitchboardAction], forwarding text: ByteBuffer = ByteBuffer()) {
        for call in switchboard.takeEndedCalls() {
            metrics.ended(call)
            log.ended(call)
        }
        for action in actions {
            switch action {
            case .forward(let receiver): outbox.append(.message(text, to: receiver))
            case .send(let message, let receiver):
                metrics.said(message)
                outbox.append(.message(ByteBuffer(string: message.json), to: receiver))
            case .close(let connection, let text): outbox.append(.close(connection, text: text))
            case .throwOut(let connection, let text): outbox.append(.throwOut(connection, text: text))
            case .enterRelay(let connection, let party, let token, let session):
                enterRelay(connection, party, token: token, session: session)
            case .relay(let sender, let user):
                let limit = configuration.pendingBytes
                guard let hasRoom = relayLines[sender]?.send(text, to: user, limit: limit) else { continue }
                if hasRoom { backlog += text.readableBytes } else { throwOutAtRelay(sender) }
            case .watchAtRelay(let connection, let users):
                if relayLines[connection]?.watch(users) == false { throwOutAtRelay(connection) }
            case .schedule(let timer, let connection, let delay): schedule(timer, for: connection, afterMs: delay)
            }
        }
        // A delivery may close the connection of its receiver, which causes further deliveries. They wait here:
        // otherwise a chain of slow readers would be a chain of nested calls.
        guard !isDelivering else { return }
        isDelivering = true
        var next = 0
        while next < outbox.count {
            deliver(outbox[next])
            next += 1
        }
        outbox.removeAll(keepingCapacity: true)
        isDelivering = false
        keepBacklogBound()
    }

    private func deliver(_ delivery: Delivery) {
        switch delivery {
        case .message(let text, let receiver): handlers[receiver]?.send(text)
        case .close(let connection, let text): handlers[connection]?.close(.policyViolation, text: text)
        case .throwOut(let connection, let text): handlers[connection]?.throwOut(text: text)
        }
    }

    // MARK: The relay

    private func enterRelay(_ connection: ConnectionID, _ party: Party, token: String?, session: String) {
        guard let relay else { return }
        let (loop, exchange) = (loop, NIOLoopBound(self, eventLoop: loop))
        // Everybody may read it at the broker, and nobody may sign in with it.
        let digest = SHA256.hash(data: Data(session.utf8)).prefix(16).map { String($0, radix: 16) }.joined(
            separator: "-")
        relayLines[connection] = RelayLine(relay, party, token: token, session: digest) { fact in
            loop.submit { exchange.value.take(fact, of: connection) }
        }
    }

    /// Whether the relay could not be reached a moment ago, and nobody is signed in there; after that moment, another client may try.
    var lacksRelay: Bool {
        guard let relayFault, NIODeadline.now() - relayFault < .seconds(10) else { return false }
        return !relayLines.keys.contains { switchboard.party(of: $0) != nil }
    }

    private func take(_ fact: RelayLine.Fact, of connection: ConnectionID) {
        switch fact {
        case .entered:
            perform(switchboard.entered(connection, at: now()))
            noteSignIn(connection)
        case .refused(let refusal):
            if case .unreachable(let text) = refusal {
                logger.warning("the relay does not take a client", metadata: ["reason": "\(text)"])
                relayFault = .now()
            }
            let actions = switchboard.notEntered(connection, refusal)
            noteRefusal(actions, nil, connection, at: now())
            perform(actions)
        case .watchRefused(let refusal):
            perform(switchboard.watchRefused(connection, refusal))
        case .taken(let bytes):
            guard relayLines[connection] != nil else { return }
            relayLines[connection]?.taken(bytes: bytes)
            backlog -= bytes
        case .event(.received(let text)):
            let text = ByteBuffer(string: text)
            perform(
                switchboard.relayed(Envelope(decoding: text.readableBytesView), to: connection), forwarding: text)
        case .event(.presence(let user, let devices)):
            perform(switchboard.relayed(presence: user, devices: devices, to: connection))
        case .event(.ended(let text)): perform(switchboard.relayEnded(connection, text: text))
        }
    }

    private static let tooMuchWaits = "too many messages wait for the broker"

    /// A client whose messages the relay does not take fast enough is disconnected: it repeats them when it is back.
    private func throwOutAtRelay(_ connection: ConnectionID) {
        outbox.append(.throwOut(connection, text: Self.tooMuchWaits))
    }

    private func schedule(_ timer: SessionTimer, for connection: ConnectionID, afterMs delay: Int) {
        let scheduled = loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(delay))) { [weak self] in
            guard let self else { return }
            timers[connection]?[timer] = nil
            perform(switchboard.timerFired(timer, on: connection, at: now()))
        }
        timers[connection, default: [:]].updateValue(scheduled, forKey: timer)?.cancel()
    }

    private func now() -> Moment {
        Moment(
            unixMs: Int(Date().timeIntervalSince1970 * 1_000),
            uptimeMs: Int(clamping: NIODeadline.now().uptimeNanoseconds / 1_000_000))
    }

    private static func metadata(_ party: Party, _ connection: ConnectionID) -> Logger.Metadata {
        ["user": "\(party.user)", "device": "\(party.device)", "connection": "\(connection.number)"]
    }
}
