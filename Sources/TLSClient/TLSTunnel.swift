internal import NIOCore
internal import NIOPosix
package import NIOSSL
internal import Synchronization

/// A TCP port on loopback whose connections go on to a server by TLS, for a client that speaks no TLS itself.
///
/// The server's certificate and name are verified. What one side sends faster than the other takes is left in the sender's socket. Whoever is on
/// this machine can connect, and gets no more than a TLS connection that it could make by itself: credentials are the client's business.
package final class TLSTunnel: Sendable {
    /// The most connections at a time; a further one is closed at once.
    package static let maximumConnections = 64
    /// How long reaching the server may take, and the TLS handshake after it.
    private static let patience = TimeAmount.seconds(10)

    /// The port that is listened on.
    package let port: Int
    private let listener: any Channel
    private let connections: Connections

    /// Listens on `address`, a loopback address in numbers, for connections to `host`, which may be a name, or an address of either family.
    ///
    /// `onFailure` is told in a few words, on an event loop, why a connection did not come about.
    /// Blocks until it listens: not for an event loop, and not for Swift's cooperative pool.
    package init(
        listeningOn address: String, to host: String, port: Int, context: NIOSSLContext,
        onFailure: @escaping @Sendable (String) -> Void
    ) throws {
        let connections = Connections()
        let tell: @Sendable (any Error) -> Void = {
            onFailure(ConnectionFailure.text($0, plain: "turn:") ?? "the connection failed")
        }
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            // The client is told that its connection is there when the server's is, so this future is that of the whole way.
            .childChannelInitializer { near in
                guard connections.admit(near) else { return near.eventLoop.makeFailedFuture(ChannelError.inputClosed) }
                let (nearEnd, farEnd) = Splice.pair(on: near.eventLoop, farHasTLS: true)
                return near.eventLoop.makeCompletedFuture {
                    try near.pipeline.syncOperations.addHandler(nearEnd.value)
                }.flatMap {
                    // On one event loop, so that the two ends need no lock.
                    ClientBootstrap(group: near.eventLoop)
                        .connectTimeout(Self.patience)
                        .channelInitializer { far in
                            far.eventLoop.makeCompletedFuture {
                                // An address is not in the server's name but is compared with the certificate by itself.
                                let tls = try NIOSSLClientHandler(
                                    context: context, serverHostname: isAddress ? nil : host)
                                try far.pipeline.syncOperations.addHandlers([
                                    tls, HandshakeWatch(limit: Self.patience) { tell($0) }, farEnd.value,
                                ])
                            }
                        }
                        .connect(host: host, port: port)
                }.flatMapErrorThrowing {
                    tell($0)
                    throw $0
                }.map { _ in }
            }
            .bind(host: address, port: 0).wait()
        self.port = listener.localAddress?.port ?? 0
        self.connections = connections
    }

    deinit { close() }

    /// Ends it with all its connections; idempotent.
    package func close() {
        listener.close(promise: nil)
        connections.closeAll()
    }
}

/// The client's ends of a tunnel's connections.
private final class Connections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Whether there is room for one more.
    func admit(_ channel: any Channel) -> Bool {
        let isAdmitted = state.withLock { state in
            guard !state.isClosed, state.open.count < TLSTunnel.maximumConnections else { return false }
            state.open[ObjectIdentifier(channel)] = channel
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { [weak self] _ in
                _ = self?.state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
        return isAdmitted
    }

    func closeAll() {
        let open = state.withLock { state in
            state.isClosed = true
            return state.open
        }
        for channel in open.values { channel.close(promise: nil) }
    }
}
