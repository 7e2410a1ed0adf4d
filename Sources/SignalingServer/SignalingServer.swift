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
    private let logger: Logger

    private init(listener: any Channel, exchange: NIOLoopBound<Exchange>, logger: Logger) {
        self.listener = listener
        self.exchange = exchange
        self.logger = logger
        address = listener.localAddress?.ipAddress ?? "unknown"
        port = listener.localAddress?.port ?? 0
    }

    /// Starts a server.
    ///
    /// It accepts connections when this returns.
    ///
    /// - Throws: ``SignalingServerError``, which says whether the port is in use.
    public static func start(
        configuration: SignalingServerConfiguration = SignalingServerConfiguration(), logger: Logger
    ) async throws(SignalingServerError) -> SignalingServer {
        try configuration.check()
        let loop = NIOSingletons.posixEventLoopGroup.next()
        do {
            let exchange = try await loop.submit {
                NIOLoopBound(Exchange(configuration: configuration, logger: logger, loop: loop), eventLoop: loop)
            }.get()
            let listener = try await Listener.bind(
                exchange, host: configuration.host, port: configuration.port, loop: loop
            ).get()
            let server = SignalingServer(listener: listener, exchange: exchange, logger: logger)
            logger.info("listening", metadata: ["address": "\(server.address)", "port": "\(server.port)"])
            return server
        } catch {
            throw SignalingServerError(error, host: configuration.host, port: configuration.port)
        }
    }

    /// Stops: accepts nobody any more and closes every connection with status 1001.
    ///
    /// Returns when all sockets are closed, at the latest after ``SignalingServerConfiguration/closeTimeout``: clients that
    /// did not answer by then are cut. A second call waits for the first.
    public func shutdown() async {
        let (listener, exchange) = (listener, exchange)
        // The listener goes first, so that a client that connects again at once does not meet this server once more. Only
        // the failure that it is closed already is possible.
        try? await listener.close().get()
        try? await exchange.eventLoop.flatSubmit { exchange.value.drain() }.get()
        logger.info("stopped", metadata: ["port": "\(port)"])
    }
}
