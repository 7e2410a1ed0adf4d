internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import TransportSecurity

/// A TCP port that forwards everything to another one, and keeps what clients send.
package final class WireTap: Sendable {
    package let port: Int
    private let listener: any Channel
    private let sent = Conversations()

    /// - Parameter certificate: If set, clients connect over TLS, and their data is forwarded without it.
    package init(to port: Int, certificate: TestCertificate? = nil) async throws {
        let sent = sent
        let tls = try certificate.map {
            let chain = try NIOSSLCertificate.fromPEMFile($0.certificate.path).map(NIOSSLCertificateSource.certificate)
            let key = try NIOSSLPrivateKey(file: $0.key.path, format: .pem)
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
        }
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { near in
                let (nearEnd, farEnd) = Splice.pair(on: near.eventLoop)
                return near.eventLoop.makeCompletedFuture {
                    if let tls { try near.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try near.pipeline.syncOperations.addHandlers([Listening(sent), nearEnd.value])
                }.flatMap {
                    ClientBootstrap(group: near.eventLoop).channelInitializer { far in
                        far.eventLoop.makeCompletedFuture { try far.pipeline.syncOperations.addHandler(farEnd.value) }
                    }.connect(host: "127.0.0.1", port: port)
                }.map { _ in }
            }.bind(host: "127.0.0.1", port: 0).get()
        self.port = listener.localAddress?.port ?? 0
    }

    deinit { listener.close(promise: nil) }

    /// What each client has sent, in the order of the first bytes.
    package var conversations: [[UInt8]] { sent.bytes.withLock { $0 }.filter { !$0.isEmpty } }
}

private final class Listening: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let sent: Conversations
    private let index: Int

    init(_ sent: Conversations) {
        self.sent = sent
        index = sent.bytes.withLock {
            $0.append([])
            return $0.count - 1
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        sent.bytes.withLock { if $0[self.index].count < 65_536 { $0[self.index] += Array(bytes) } }
        context.fireChannelRead(data)
    }
}

private final class Conversations: Sendable {
    let bytes = Mutex<[[UInt8]]>([])
}
