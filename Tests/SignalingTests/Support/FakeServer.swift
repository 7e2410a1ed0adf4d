import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A server that is not the one of this package: it says what a test tells it to.
final class FakeServer: Sendable {
    let port: Int
    /// The connections that came, as they came.
    let connections: Mailbox<Connection>
    private let listener: any Channel

    /// One connection; frames that the client sent are in ``frames``.
    struct Connection: Sendable {
        let channel: any Channel
        let frames = Mailbox<WebSocketFrame>()

        /// The next frame with that opcode.
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

    /// Says `answer` to whatever comes, and nothing more; nil accepts in silence.
    static func saying(_ answer: String?, thenClosing: Bool = false) async throws -> FakeServer {
        let connections = Mailbox<Connection>()
        let listener = try await bootstrap().childChannelInitializer { channel in
            connections.put(Connection(channel: channel))
            return channel.pipeline.addHandler(Parrot(answer: answer, isClosing: thenClosing))
        }.bind(host: "127.0.0.1", port: 0).get()
        return FakeServer(listener: listener, connections: connections)
    }

    /// Speaks WebSocket and leaves the rest to the test.
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
