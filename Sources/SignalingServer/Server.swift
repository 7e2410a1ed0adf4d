public import Logging
internal import NIOCore
internal import NIOPosix

/// A WebSocket server that routes the messages of calls between users (`docs/signaling.md`).
///
/// It listens from ``start(configuration:logger:)`` to ``shutdown()``, even if no reference to it is kept. It runs on one event
/// loop of the process, shared with other users of NIO. It starts no thread of its own. Its methods may be called from any task.
/// It stores nothing on disk; a restarted server knows no users.
public final class Server: Sendable {
    /// The IP address that it listens on.
    public let address: String
    /// The port that it listens on; with port 0 in the configuration, the port that the system chose.
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
    /// With a `relay` it is one of several servers: the clients of all of them reach each other, and whoever else is there.
    ///
    /// - Throws: ``ServerError``, which says whether the port is in use or a file is missing.
    public static func start(
        configuration: ServerConfiguration = ServerConfiguration(), relay: (any SignalingRelay)? = nil,
        logger: Logger = Logger(label: "signaling-server")
    ) async throws(ServerError) -> Server {
        try configuration.check()
        var filePolicy = try await ServerFiles.policy(configuration)
        filePolicy.hasRelay = relay != nil
        let policy = filePolicy
        let denied = try ServerFiles.denyList(configuration)
        let tls = try ServerFiles.tlsContext(configuration)
        let loop = NIOSingletons.posixEventLoopGroup.next()
        do {
            let exchange = try await loop.submit {
                let exchange = Exchange(
                    configuration: configuration, policy: policy, relay: relay, logger: logger, loop: loop)
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
            let server = Server(
                listener: listener, exchange: exchange, closeTimeout: configuration.closeTimeout, logger: logger)
            logger.info("listening", metadata: ["address": "\(server.address)", "port": "\(server.port)"])
            return server
        } catch {
            throw ServerError(error, host: configuration.host, port: configuration.port)
        }
    }

    /// Stops the server: refuses new clients and closes every connection with status 1001, after all messages sent before.
    ///
    /// Returns when all sockets are closed, at the latest after `grace` (default: ``ServerConfiguration/closeTimeout``).
    /// Clients that have not answered by then are disconnected. Until then the server answers `/healthz` and attempts to connect
    /// with HTTP status 503. A second call waits for the first.
    public func shutdown(grace: Duration? = nil) async {
        let (listener, exchange) = (listener, exchange)
        let grace = TimeAmount(min(max(grace ?? closeTimeout, .milliseconds(1)), .seconds(86_400)))
        // The only possible failure: the listener is closed already.
        try? await exchange.eventLoop.flatSubmit { exchange.value.drain(grace: grace) }.get()
        try? await listener.close().get()
        logger.info("stopped", metadata: ["port": "\(port)"])
    }
}
