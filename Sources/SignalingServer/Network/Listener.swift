internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket

/// Accepts connections and upgrades them to WebSocket.
enum Listener {
    /// Listens on `host` and `port`.
    ///
    /// All connections run on `loop`, the event loop of the exchange. With `tls` they are encrypted.
    static func bind(
        _ exchange: NIOLoopBound<Exchange>, host: String, port: Int, tls: NIOSSLContext?, loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            // After a restart, connections of the previous server may still be in TIME_WAIT.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Limits how much one turn of the loop reads from one client, so that a client that sends without pause does not
            // delay the others.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 8_192)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel, for: exchange.value, tls) }
            }
            .bind(host: host, port: port)
    }

    private static func prepare(_ channel: any Channel, for exchange: Exchange, _ tls: NIOSSLContext?) throws {
        guard let queue = exchange.accepted(channel) else { return }
        try channel.pipeline.syncOperations.addHandler(queue)
        let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(exchange.configuration.signInTimeout)) {
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
        var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(
            upgradeConfiguration: upgrades(
                to: NIOLoopBound(exchange, eventLoop: channel.eventLoop),
                NIOLoopBound(Handshake(), eventLoop: channel.eventLoop)))
        // A connection may send only one request.
        pipeline.enablePipelining = false
        pipeline.decoderConfiguration.maxHeaderFieldSize = 8_192
        pipeline.decoderConfiguration.maxHeaderListSize = 16_384
        pipeline.decoderConfiguration.maxHeaderFieldCount = 64
        try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(configuration: pipeline)
            .whenComplete { result in
                switch result {
                case .success(.webSocket): deadline.cancel()
                case .success(.plainHTTP): break
                case .failure: channel.close(promise: nil)
                }
            }
    }

    private enum Outcome: Sendable {
        case webSocket
        case plainHTTP
    }

    /// The state of a request for an upgrade; a refused request does not reach the handler for plain HTTP.
    final class Handshake {
        var client: ClientAddress?
        var refusal: HTTPAnswer?
    }

    private static func upgrades(
        to exchange: NIOLoopBound<Exchange>, _ handshake: NIOLoopBound<Handshake>
    ) -> NIOTypedHTTPServerUpgradeConfiguration<Outcome> {
        let upgrader = NIOTypedWebSocketServerUpgrader<Outcome>(
            maxFrameSize: exchange.value.configuration.messageBytes,
            // The handler closes with the right status of the protocol and waits for the answer.
            enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                examine(head, on: channel, exchange.value, handshake.value)
                return channel.eventLoop.makeSucceededFuture(handshake.value.refusal == nil ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ConnectionHandler(exchange: exchange.value, client: handshake.value.client))
                    return .webSocket
                }
            })
        return NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    PlainHTTPHandler(exchange: exchange.value, handshake: handshake.value))
                return .plainHTTP
            }
        }
    }

    /// Decides whether to accept a request for an upgrade.
    private static func examine(
        _ head: HTTPRequestHead, on channel: any Channel, _ exchange: Exchange, _ handshake: Handshake
    ) {
        let request = Admission<ObjectIdentifier>.Request(head, on: channel)
        handshake.client = exchange.client(of: request, on: channel)
        handshake.refusal =
            switch exchange.verdict(on: request) {
            case .foreignPage: Router.foreignPage
            case .foreignName: Router.foreignName
            // A stopping server accepts no new clients.
            case .allowed where exchange.isDraining: Router.stopping
            case .allowed: handshake.client == nil ? Router.tooMany : nil
            }
    }
}
