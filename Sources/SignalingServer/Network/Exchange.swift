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
    /// Those that speak WebSocket, until their sockets are closed.
    private var handlers: [ConnectionID: ConnectionHandler] = [:]
    /// Every accepted socket.
    private var channels: [ObjectIdentifier: any Channel] = [:]
    private var outbox: [Delivery] = []
    private var isDelivering = false
    private var drained: EventLoopPromise<Void>?

    /// Whether the server stops.
    var isDraining: Bool { drained != nil }

    private enum Delivery {
        case message(ByteBuffer, to: ConnectionID)
        case close(ConnectionID, text: String)
    }

    init(configuration: SignalingServerConfiguration, logger: Logger, loop: any EventLoop) {
        self.configuration = configuration
        self.logger = logger
        self.loop = loop
        switchboard = Switchboard(
            callsPerConnection: configuration.callsPerConnection, rememberedUsers: configuration.rememberedUsers)
    }

    // MARK: What the connections report

    /// A socket was accepted.
    func accepted(_ channel: any Channel) {
        channels[ObjectIdentifier(channel)] = channel
        channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
            channels[ObjectIdentifier(channel)] = nil
            finishDraining()
        }
        if isDraining { channel.close(promise: nil) }
    }

    /// A client speaks WebSocket now.
    func opened(_ handler: ConnectionHandler) -> ConnectionID {
        let connection = switchboard.opened()
        handlers[connection] = handler
        return connection
    }

    func received(_ text: ByteBuffer, on connection: ConnectionID) {
        let wasSignedIn = switchboard.user(of: connection) != nil
        let envelope = Envelope(decoding: text.readableBytesView)
        perform(switchboard.received(envelope, on: connection, unixMs: unixMs()), forwarding: text)
        if !wasSignedIn, let user = switchboard.user(of: connection) {
            logger.info("signed in", metadata: ["user": "\(user)", "connection": "\(connection.number)"])
        }
    }

    func signInTimedOut(_ connection: ConnectionID) { perform(switchboard.signInTimedOut(connection)) }

    /// Nothing can be sent to `connection` any more, although its socket may still be closing.
    func closed(_ connection: ConnectionID) {
        if let user = switchboard.user(of: connection) {
            logger.info("signed out", metadata: ["user": "\(user)", "connection": "\(connection.number)"])
        }
        perform(switchboard.closed(connection, unixMs: unixMs()))
    }

    /// The socket of `connection` is closed.
    func ended(_ connection: ConnectionID) { handlers[connection] = nil }

    // MARK: Stopping

    /// Closes every connection, those that speak WebSocket with status 1001.
    ///
    /// Succeeds when all sockets are closed.
    func drain() -> EventLoopFuture<Void> {
        if let drained { return drained.futureResult }
        let promise = loop.makePromise(of: Void.self)
        drained = promise
        // Copies: closing takes entries out of both.
        let speaking = Array(handlers.values)
        let webSockets = Set(speaking.compactMap(\.channelIdentifier))
        let others = channels.filter { !webSockets.contains($0.key) }
        for handler in speaking { handler.close(.goingAway, text: "the server stops") }
        for channel in others.values { channel.close(promise: nil) }
        loop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.closeTimeout)) { [self] in
            for channel in Array(channels.values) { channel.close(promise: nil) }
        }
        finishDraining()
        return promise.futureResult
    }

    private func finishDraining() {
        if channels.isEmpty { drained?.succeed() }
    }

    // MARK: What the switchboard wants

    private func perform(_ actions: [SwitchboardAction], forwarding text: ByteBuffer = ByteBuffer()) {
        for action in actions {
            switch action {
            case .forward(let receiver): outbox.append(.message(text, to: receiver))
            case .send(let message, let receiver):
                outbox.append(.message(ByteBuffer(string: message.json), to: receiver))
            case .close(let connection, let text): outbox.append(.close(connection, text: text))
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
        }
    }

    private func unixMs() -> Int { Int(Date().timeIntervalSince1970 * 1_000) }
}
