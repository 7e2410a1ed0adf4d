import NIOCore
import NIOPosix
import NIOSSL
import TestServers

/// One end of a connection through a tunnel that counts what it receives, and sends as much as its channel takes.
final class TunnelEnd: Sendable {
    struct Progress {
        var received = 0
        /// Whether all of it is what ``send(_:)`` sends, in order.
        var isIntact = true
        /// How much the system has accepted.
        var sent = 0
        var isOver = false
    }

    let channel: any Channel
    private let shared = Shared(Progress())

    private init(_ channel: any Channel) { self.channel = channel }

    var progress: Progress { shared.value }

    /// Connects to a tunnel.
    static func connect(to port: Int, reads: Bool = true) async throws -> TunnelEnd {
        let made = Shared<TunnelEnd?>(nil)
        _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                made.set(TunnelEnd(channel))
                return attach(made.value, to: channel)
            }.connect(host: "127.0.0.1", port: port).get()
        guard let end = made.value else { throw ChannelError.eof }
        return end
    }

    /// Starts a server, over TLS if there is a certificate; each new end goes to `accept` once it can send and receive.
    static func listen(
        _ certificate: TestCertificate?, echoes: Bool = false, accept: @escaping @Sendable (TunnelEnd) -> Void
    ) async throws -> any Channel {
        let context = try certificate.map { certificate in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.certificate.path).map {
                        .certificate($0)
                    }, privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.key.path, format: .pem))))
        }
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 128)
            .childChannelInitializer { channel in
                let end = TunnelEnd(channel)
                return channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                }.flatMap { attach(end, to: channel, echoes: echoes) }.map { accept(end) }
            }.bind(host: "127.0.0.1", port: 0).get()
    }

    /// Sends this many bytes; each is the low byte of its position.
    func send(_ count: Int) { channel.triggerUserOutboundEvent(Sending(count: count), promise: nil) }

    func setReading(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

    func close() { channel.close(promise: nil) }

    private static func attach(_ end: TunnelEnd?, to channel: any Channel, echoes: Bool = false) -> EventLoopFuture<
        Void
    > {
        channel.eventLoop.makeCompletedFuture {
            guard let end else { throw ChannelError.eof }
            try channel.pipeline.syncOperations.addHandler(Exchange(end.shared, echoes: echoes))
        }
    }
}

private struct Sending { let count: Int }

private final class Exchange: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let progress: Shared<TunnelEnd.Progress>
    private let echoes: Bool
    private var written = 0
    private var goal = 0

    init(_ progress: Shared<TunnelEnd.Progress>, echoes: Bool) { (self.progress, self.echoes) = (progress, echoes) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        progress.update { progress in
            let expected = Self.bytes(buffer.readableBytes, from: progress.received)
            if buffer != expected { progress.isIntact = false }
            progress.received += buffer.readableBytes
        }
        if echoes { context.writeAndFlush(wrapOutboundOut(buffer), promise: nil) }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let event = event as? Sending { goal += event.count }
        go(on: context)
        promise?.succeed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { go(on: context) }

    func channelInactive(context: ChannelHandlerContext) { progress.update { $0.isOver = true } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Repetitions of all 256 values, long enough for what NIO reads or writes at once.
    private static let pattern: ByteBuffer = {
        var buffer = ByteBuffer()
        let round = [UInt8](0...255)
        for _ in 0..<4_096 { buffer.writeBytes(round) }
        return buffer
    }()

    private static func bytes(_ count: Int, from place: Int) -> ByteBuffer {
        pattern.getSlice(at: place % 256, length: count) ?? ByteBuffer()
    }

    private func go(on context: ChannelHandlerContext) {
        while written < goal, context.channel.isWritable {
            let count = min(goal - written, 65_536)
            let buffer = Self.bytes(count, from: written)
            written += count
            let progress = progress
            let done = context.eventLoop.makePromise(of: Void.self)
            done.futureResult.whenSuccess { progress.update { $0.sent += count } }
            context.writeAndFlush(wrapOutboundOut(buffer), promise: done)
        }
    }
}
