internal import CallProtocol
internal import FoundationEssentials
internal import Logging
internal import NIOCore
internal import NIOWebSocket

/// Joins the ``Switchboard`` to the connections of one server.
///
/// Lives on one event loop, like all connections of the server: a message is read, routed and written without a lock and
/// without a change of thread.
final class Exchange {
    let configuration: SignalingServerConfiguration
    let logger: Logger
    private let loop: any EventLoop
    private var switchboard: Switchboard
    private var admission: Admission<ObjectIdentifier>
    private var metrics = ServerMetrics()
    private var log: ServerLog
    /// Those that speak WebSocket, until their sockets are closed.
    private var handlers: [ConnectionID: ConnectionHandler] = [:]
    private var timers: [ConnectionID: [SessionTimer: Scheduled<Void>]] = [:]
    /// Every accepted socket.
    private var sockets: [ObjectIdentifier: SendQueue] = [:]
    /// How many bytes wait at all of them.
    private var backlog = 0
    private var outbox: [Delivery] = []
    private var isDelivering = false
    private var drain: Drain?

    /// Whether the server stops.
    var isDraining: Bool { drain != nil }

    private enum Delivery {
        case message(ByteBuffer, to: ConnectionID)
        case close(ConnectionID, text: String)
        case throwOut(ConnectionID, text: String)
    }

    /// The sockets that the end of the server waits for.
    private struct Drain {
        var remaining: Set<ObjectIdentifier>
        let promise: EventLoopPromise<Void>
    }

    init(
        configuration: SignalingServerConfiguration, policy: SwitchboardPolicy, logger: Logger, loop: any EventLoop
    ) {
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
    /// - Returns: what has to be its first handler; nil when a bound is reached, and it is closed at once.
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

    /// A request came: whom from, or nil when that address has too many connections.
    func client(of request: Admission<ObjectIdentifier>.Request, on channel: any Channel) -> ClientAddress? {
        if let client = admission.client(of: request, on: ObjectIdentifier(channel)) { return client }
        refused(ConnectionCensus<ObjectIdentifier>.Refusal.address.rawValue, request.peer)
        return nil
    }

    /// Whether the request may become a WebSocket, as far as the page goes that asks for it.
    func verdict(on request: Admission<ObjectIdentifier>.Request) -> BrowserOrigin.Verdict {
        admission.verdict(on: request)
    }

    /// Whether the request came by a name of this server.
    func isOwnName(_ request: Admission<ObjectIdentifier>.Request) -> Bool { admission.isOwnName(request) }

    private func refused(_ bound: String, _ peer: IPAddress?) {
        metrics.refusedConnection(bound)
        logger.debug("connection refused", metadata: ["bound": "\(bound)", "address": "\(ServerLog.text(peer))"])
    }

    /// A client speaks WebSocket now.
    func opened(_ handler: ConnectionHandler) -> ConnectionID {
        let connection = switchboard.opened(at: now())
        handlers[connection] = handler
        return connection
    }

    /// A frame came, of whatever kind.
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
        if case .forward = actions.first {
            metrics.routed(type: envelope?.type, seconds: Double((NIODeadline.now() - start).nanoseconds) / 1e9)
        }
        if !wasSignedIn, let party = switchboard.party(of: connection) {
            if let socket = handlers[connection]?.channelIdentifier { admission.signedIn(socket) }
            logger.info("signed in", metadata: Self.metadata(party, connection))
        }
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

    /// Nothing can be sent to `connection` any more, although its socket may still be closing.
    func closed(_ connection: ConnectionID) {
        if let party = switchboard.party(of: connection) {
            logger.info("signed out", metadata: Self.metadata(party, connection))
        }
        for timer in (timers.removeValue(forKey: connection) ?? [:]).values { timer.cancel() }
        perform(switchboard.closed(connection, at: now()))
    }

    /// The socket of `connection` is closed.
    func ended(_ connection: ConnectionID) { handlers[connection] = nil }

    /// So many bytes were handed to a connection's socket, and so many wait there.
    func sent(bytes: Int, pending: Int) { metrics.sent(bytes: bytes, pending: pending) }

    /// What Prometheus reads.
    func metricsText() -> String {
        metrics.text(
            ServerMetrics.Gauges(
                connections: admission.count, users: switchboard.devices.count, devices: switchboard.deviceCount,
                calls: switchboard.calls.count, pendingBytes: backlog))
    }

    // MARK: Who is denied

    /// The deny list was read: closes those who are signed in with what it denies; nil when it says nothing new.
    ///
    /// - Returns: false when the server stops and needs to know no more.
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

    /// How many bytes wait at one socket.
    func waitingBytes(at channel: any Channel) -> Int { sockets[ObjectIdentifier(channel)]?.waiting ?? 0 }

    func backlogChanged(by bytes: Int) { backlog += bytes }

    /// Cuts those off that have most waiting until all together have no more than they may.
    ///
    /// Without a close frame, which would wait behind the rest.
    func keepBacklogBound() {
        while backlog > configuration.pendingBytesInAll, let most = sockets.values.max(by: { $0.waiting < $1.waiting })
        {
            logger.warning(
                "a client that does not read was cut off, since too much waits for all together",
                metadata: ["bytes": "\(most.waiting)", "inAll": "\(backlog)"])
            metrics.cutOff()
            most.cut()
            // Closing throws away what waits; should it ever not, this must not go on for ever.
            guard most.waiting == 0 else { return }
        }
    }

    // MARK: Stopping

    /// Closes every connection, those that speak WebSocket with status 1001.
    ///
    /// Succeeds when all sockets are closed that were open; those that came later, to ask how the server is, are cut then.
    func drain(grace: TimeAmount) -> EventLoopFuture<Void> {
        if let drain { return drain.promise.futureResult }
        let promise = loop.makePromise(of: Void.self)
        drain = Drain(remaining: Set(sockets.keys), promise: promise)
        // Copies: closing takes entries out of both.
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
            case .schedule(let timer, let connection, let delay): schedule(timer, for: connection, afterMs: delay)
            }
        }
        // A delivery may find its receiver to be given up, which leads to further deliveries: they wait their turn here,
        // or a chain of slow readers would be a chain of nested calls.
        guard !isDelivering else { return }
        isDelivering = true
        var next = 0
        while next < outbox.count {
            deliver(outbox[next])
            next += 1
        }
        outbox.removeAll(keepingCapacity: true)
        isDelivering = false
    }

    private func deliver(_ delivery: Delivery) {
        switch delivery {
        case .message(let text, let receiver): handlers[receiver]?.send(text)
        case .close(let connection, let text): handlers[connection]?.close(.policyViolation, text: text)
        case .throwOut(let connection, let text): handlers[connection]?.throwOut(text: text)
        }
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
