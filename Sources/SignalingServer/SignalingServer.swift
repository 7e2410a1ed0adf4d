public import Logging
internal import NIOCore
internal import NIOPosix

/// A WebSocket server that carries the messages of calls between users (`docs/signaling.md`).
///
/// It listens from ``start(configuration:logger:)`` to ``shutdown()``, whether anybody holds it or not. All of its work is
/// done on one event loop of the process, shared with other users of NIO: it starts no thread of its own, and its methods
/// may be called from any task. It keeps nothing on disk; a server that is started again knows nobody.
public final class SignalingServer: Sendable {
    /// The IP address that it listens on.
    public let address: String
    /// The port that it listens on; the one that the system chose when the configuration said 0.
    public let port: Int
    private let listener: any Channel
    private let exchange: NIOLoopBound<Exchange>
    private let closeTimeout: Duration
    private let logger: Logger

    private init(
        listener: any Channel, exchange: NIOLoopBound<Exchange>, closeTimeout: Duration, logger: Logger
    ) {
        self.listener = listener
        self.closeTimeout = closeTimeout
        self.exchange = exchange
        self.logger = logger
        address = listener.localAddress?.ipAddress ?? "unknown"
        port = listener.localAddress?.port ?? 0
    }

    /// Starts a server.
    ///
    /// It accepts connections when this returns.
    ///
    /// - Throws: ``SignalingServerError``, which says whether the port is in use or a file is missing.
    public static func start(
        configuration: SignalingServerConfiguration = SignalingServerConfiguration(), logger: Logger
    ) async throws(SignalingServerError) -> SignalingServer {
        try configuration.check()
        let policy = try await ServerFiles.policy(configuration)
        let denied = try ServerFiles.denyList(configuration)
        let tls = try ServerFiles.tlsContext(configuration)
        let loop = NIOSingletons.posixEventLoopGroup.next()
        do {
            let exchange = try await loop.submit {
                let exchange = Exchange(configuration: configuration, policy: policy, logger: logger, loop: loop)
                if let denied {
                    _ = exchange.denied(by: denied.list)
                    DenyListWatch.start(denied.file, on: loop, logger: logger) { [weak exchange] list in
                        exchange?.denied(by: list) ?? false
                    }
                }
                return NIOLoopBound(exchange, eventLoop: loop)
            }.get()
            let listener = try await Listener.bind(
                exchange, host: configuration.host, port: configuration.port, tls: tls, loop: loop
            ).get()
            let server = SignalingServer(
                listener: listener, exchange: exchange, closeTimeout: configuration.closeTimeout, logger: logger)
            logger.info("listening", metadata: ["address": "\(server.address)", "port": "\(server.port)"])
            return server
        } catch {
            throw SignalingServerError(error, host: configuration.host, port: configuration.port)
        }
    }

    /// Stops: takes nobody any more and closes every connection with status 1001, behind what was sent to it before.
    ///
    /// Returns when all sockets are closed, at the latest after `grace`, which is
    /// ``SignalingServerConfiguration/closeTimeout`` unless said otherwise: clients that did not answer by then are cut. Until
    /// then `/healthz` answers with HTTP status 503, and so do attempts to connect. A second call waits for the first.
    public func shutdown(grace: Duration? = nil) async {
        let (listener, exchange) = (listener, exchange)
        let grace = TimeAmount(min(max(grace ?? closeTimeout, .milliseconds(1)), .seconds(86_400)))
        // Only the failure that the listener is closed already is possible.
        try? await exchange.eventLoop.flatSubmit { exchange.value.drain(grace: grace) }.get()
        try? await listener.close().get()
        logger.info("stopped", metadata: ["port": "\(port)"])
    }
}
