import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A server that does not use this package; a test controls what it sends.
final class FakeServer: Sendable {
    let port: Int
    /// The accepted connections, in order.
    let connections: Mailbox<Connection>
    private let listener: any Channel

    /// One connection; the client's frames are in ``frames``.
    struct Connection: Sendable {
        let channel: any Channel
        let frames = Mailbox<WebSocketFrame>()

        /// The next frame with this opcode.
        func next(_ opcode: WebSocketOpcode) async throws -> WebSocketFrame? {
            while let frame = try await frames.next() {
                if frame.opcode == opcode { return frame }
            }
            return nil
        }

        func send(
            _ text: String, as opcode: WebSocketOpcode = .text, isFinal: Bool = true,
            maskKey: WebSocketMaskingKey? = nil
        ) async throws {
            let frame = WebSocketFrame(fin: isFinal, opcode: opcode, maskKey: maskKey, data: ByteBuffer(string: text))
            try await channel.writeAndFlush(frame).get()
        }

        func signIn(_ user: String) async throws {
            _ = try await next(.text)
            try await send(#"{"v":1,"type":"signedIn","user":"\#(user)"}"#)
        }
    }

    /// Makes a server that sends `answer` to any request, and nothing more; with nil it sends nothing.
    static func saying(_ answer: String?, thenClosing: Bool = false) async throws -> FakeServer {
        let connections = Mailbox<Connection>()
        let listener = try await bootstrap().childChannelInitializer { channel in
            connections.put(Connection(channel: channel))
            return channel.pipeline.addHandler(Parrot(answer: answer, isClosing: thenClosing))
        }.bind(host: "127.0.0.1", port: 0).get()
        return FakeServer(listener: listener, connections: connections)
    }

    /// Makes a server that performs the WebSocket handshake; the test does the rest.
    static func webSocket() async throws -> FakeServer {
        let connections = Mailbox<Connection>()
        let listener = try await bootstrap().childChannelInitializer { channel in
            let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
                maxFrameSize: 1_000_000,
                shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
                upgradePipelineHandler: { channel, _ in
                    let connection = Connection(channel: channel)
                    return channel.pipeline.addHandler(Collector(connection)).map { connections.put(connection) }
                })
            return channel.eventLoop.makeCompletedFuture {
                let configuration = NIOTypedHTTPServerUpgradeConfiguration<Void>(upgraders: [upgrader]) {
                    $0.close()
                }
                _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
                    configuration: .init(upgradeConfiguration: configuration))
            }
        }.bind(host: "127.0.0.1", port: 0).get()
        return FakeServer(listener: listener, connections: connections)
    }

    private init(listener: any Channel, connections: Mailbox<Connection>) {
        self.listener = listener
        self.connections = connections
        port = listener.localAddress?.port ?? 0
    }

    deinit { listener.close(promise: nil) }

    private static func bootstrap() -> ServerBootstrap {
        ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    }

    private final class Parrot: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String?
        private let isClosing: Bool

        init(answer: String?, isClosing: Bool) {
            self.answer = answer
            self.isClosing = isClosing
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if let answer { context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: answer)), promise: nil) }
            if isClosing { context.close(promise: nil) }
        }
    }

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = WebSocketFrame

        private let connection: Connection

        init(_ connection: Connection) { self.connection = connection }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var frame = Self.unwrapInboundIn(data)
            frame.data = frame.unmaskedData
            connection.frames.put(frame)
        }

        func channelInactive(context: ChannelHandlerContext) { connection.frames.finish() }
    }
}
