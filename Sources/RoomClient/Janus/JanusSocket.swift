internal import CallAgent
internal import LocalNetwork
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import WebSocketClient

/// A WebSocket connection to Janus: texts in, texts out.
///
/// Closed when nobody keeps it any more.
final class JanusSocket: Sendable {
    /// What arrives, in order; ends with the connection.
    let texts: AsyncThrowingStream<String, any Error>
    private let channel: any Channel

    /// Why a connection ended, in a few words.
    struct Ended: Error { let text: String }

    /// The subprotocol of Janus.
    private static let subprotocol = "janus-protocol"
    /// The longest message that is read, in bytes; the descriptions of large rooms are long.
    private static let maximumBytes = 1_048_576
    /// The most messages that wait to be read; a server that sends more breaks the connection.
    private static let maximumWaiting = 1_024

    private init(channel: any Channel, texts: AsyncThrowingStream<String, any Error>) {
        (self.channel, self.texts) = (channel, texts)
    }

    deinit { close() }

    /// Connects to `url`, for at most `limit` in total.
    ///
    /// `tls` is needed for `wss`.
    ///
    /// - Throws: ``RoomError/unreachable(_:text:)``.
    static func open(_ url: SignalingURL, tls: NIOSSLContext?, within limit: Duration) async throws(RoomError)
        -> JanusSocket
    {
        let limit = TimeAmount(limit)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let isOpen = loop.makePromise(of: Void.self)
        let (texts, inbox) = AsyncThrowingStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(maximumWaiting))
        let handshake = WebSocketHandshake(
            host: url.host, isAddress: url.isAddress, hostField: url.hostField, target: url.target,
            subprotocol: subprotocol, tls: url.isSecure ? tls : nil, maximumFrameBytes: maximumBytes)
        let connecting = ClientBootstrap(group: loop).connectTimeout(limit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    handshake.begin(
                        on: channel,
                        upgraded: { channel in
                            let aggregator = NIOWebSocketFrameAggregator(
                                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
                                maxAccumulatedFrameSize: maximumBytes)
                            try channel.pipeline.syncOperations.addHandlers([aggregator, TextReader(inbox)])
                        },
                        isOpen: { isOpen.succeed() }, fail: { isOpen.fail(Ended(text: $0)) })
                }
            }
            .connect(host: url.host, port: url.port)
        connecting.whenFailure { isOpen.fail($0) }
        let deadline = loop.scheduleTask(in: limit) { isOpen.fail(ChannelError.connectTimeout(limit)) }
        defer { deadline.cancel() }
        do {
            try await isOpen.futureResult.get()
            return JanusSocket(channel: try await connecting.get(), texts: texts)
        } catch {
            connecting.whenSuccess { $0.close(promise: nil) }
            throw .unreachable(url.text, text: (error as? Ended)?.text ?? HandshakeFailure.text(error))
        }
    }

    /// The reason why it cannot work any more; nil if it may.
    var fault: String? {
        // The addresses of an interface that is down stay.
        guard let address = channel.localAddress?.ipAddress, !LocalAddresses.isInUse(address) else { return nil }
        return "this machine no longer has the address \(address)"
    }

    /// Sends a text, after those before.
    func send(_ text: String) {
        let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
        channel.writeAndFlush(frame, promise: nil)
    }

    /// Closes the connection after what was sent before.
    func close() {
        var status = ByteBuffer()
        status.write(webSocketErrorCode: .normalClosure)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: status)
        channel.writeAndFlush(frame).whenComplete { [channel] _ in channel.close(promise: nil) }
    }
}

/// Collects the texts of a connection.
///
/// Runs on its event loop only.
private final class TextReader: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let inbox: AsyncThrowingStream<String, any Error>.Continuation

    init(_ inbox: AsyncThrowingStream<String, any Error>.Continuation) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        guard frame.maskKey == nil, frame.reservedBits.isEmpty else {
            return end(context, "the server broke the WebSocket protocol")
        }
        switch frame.opcode {
        case .text:
            guard let text = String(validating: frame.data.readableBytesView, as: UTF8.self) else {
                return end(context, "the server sent a text that is not UTF-8")
            }
            if case .dropped = inbox.yield(text) { end(context, "the server sends faster than this end reads") }
        case .ping:
            // A server that asks and does not read the answers.
            guard context.channel.isWritable else { return end(context, "the server reads nothing") }
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.data)
            context.writeAndFlush(Self.wrapOutboundOut(pong), promise: nil)
        case .binary: end(context, "the server sent a binary message")
        case .connectionClose: end(context, "the server closed the connection")
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isProtocol = error is NIOWebSocketError || error is NIOWebSocketFrameAggregator.Error
        end(context, isProtocol ? "the server broke the WebSocket protocol" : HandshakeFailure.text(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.finish(throwing: JanusSocket.Ended(text: "the server closed the connection"))
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext, _ text: String) {
        inbox.finish(throwing: JanusSocket.Ended(text: text))
        context.close(promise: nil)
    }
}
