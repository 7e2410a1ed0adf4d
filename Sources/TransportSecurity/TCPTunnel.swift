internal import NIOCore
internal import NIOPosix
package import NIOSSL
internal import Synchronization

/// A TCP port on loopback whose connections are forwarded to a server, over TLS for a client without TLS.
///
/// With TLS, the server's certificate and name are verified. When one side sends faster than the other receives, the data waits in the
/// sender's socket. When the server closes a connection on which it has sent something, the client's end stays open, and what the client sends
/// is dropped. Any program on this machine can connect. It only gets a connection that it could make itself: the client handles credentials.
package final class TCPTunnel: Sendable {
    /// The most connections at a time; further ones are closed at once.
    package static let maximumConnections = 64
    /// How long connecting to the server may take, and the TLS handshake after it.
    private static let patience = TimeAmount.seconds(10)

    /// The port that it listens on.
    package let port: Int
    private let listener: any Channel
    private let connections: Connections

    /// Listens on `address`, a numeric loopback address, for connections to `host`: a name, or an address of either family.
    ///
    /// Without a `context` there is no TLS. `onFailure` runs on an event loop and gets a short text when a connection failed. Blocks until it listens: do not call it on
    /// an event loop or in Swift's cooperative pool.
    package init(
        listeningOn address: String, to host: String, port: Int, context: NIOSSLContext?,
        onFailure: @escaping @Sendable (String) -> Void
    ) throws {
        let connections = Connections()
        let report: @Sendable (any Error) -> Void = {
            onFailure(ConnectionFailure.text($0, plain: "turn:") ?? "the connection failed")
        }
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            // The client's connection is accepted when the server's is ready, so this future covers the whole path.
            .childChannelInitializer { near in
                guard connections.admit(near) else { return near.eventLoop.makeFailedFuture(ChannelError.inputClosed) }
                let (nearEnd, farEnd) = Splice.pair(
                    on: near.eventLoop, farHasTLS: context != nil, nearOutlivesFar: true)
                return near.eventLoop.makeCompletedFuture {
                    try near.pipeline.syncOperations.addHandler(nearEnd.value)
                }.flatMap {
                    // On one event loop, so that the two ends need no lock.
                    ClientBootstrap(group: near.eventLoop)
                        .connectTimeout(Self.patience)
                        .channelInitializer { far in
                            far.eventLoop.makeCompletedFuture {
                                guard let context else {
                                    return try far.pipeline.syncOperations.addHandler(farEnd.value)
                                }
                                // An IP address is not sent as the server name but is compared with the certificate separately.
                                let tls = try NIOSSLClientHandler(
                                    context: context, serverHostname: isAddress ? nil : host)
                                try far.pipeline.syncOperations.addHandlers([
                                    tls, HandshakeWatch(limit: Self.patience) { report($0) }, farEnd.value,
                                ])
                            }
                        }
                        .connect(host: host, port: port)
                }.flatMapErrorThrowing {
                    report($0)
                    throw $0
                }.map { _ in }
            }
            .bind(host: address, port: 0).wait()
        self.port = listener.localAddress?.port ?? 0
        self.connections = connections
    }

    /// Whether it has no connection.
    package var isIdle: Bool { connections.isEmpty }

    deinit { close() }

    /// Closes the tunnel and all its connections; idempotent.
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
            guard !state.isClosed, state.open.count < TCPTunnel.maximumConnections else { return false }
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

    var isEmpty: Bool { state.withLock(\.open.isEmpty) }

    func closeAll() {
        let open = state.withLock { state in
            state.isClosed = true
            return state.open
        }
        for channel in open.values { channel.close(promise: nil) }
    }
}
