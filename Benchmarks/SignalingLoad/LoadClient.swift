import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// One signed-in connection of the load, on the generator's only event loop.
final class LoadClient: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    let user: String
    /// Called with each message except the answer to the sign-in.
    var received: ((LoadClient, ByteBuffer) -> Void)?
    /// Called when the connection is over.
    var ended: (() -> Void)?
    private let token: String
    private let signedIn: EventLoopPromise<Void>
    private var context: ChannelHandlerContext?
    private var isSignedIn = false

    private init(user: String, token: String, signedIn: EventLoopPromise<Void>) {
        self.user = user
        self.token = token
        self.signedIn = signedIn
    }

    /// Connects and signs in.
    ///
    /// Call on `loop`.
    static func connect(
        user: String, token: String, port: Int, loop: any EventLoop
    ) -> EventLoopFuture<NIOLoopBound<LoadClient>> {
        let client = NIOLoopBound(
            LoadClient(user: user, token: token, signedIn: loop.makePromise(of: Void.self)), eventLoop: loop)
        let upgrader = NIOTypedWebSocketClientUpgrader<Void>(
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(client.value)
                }
            })
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Host": "127.0.0.1"])
        return ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port)
            .flatMap { channel in
                let upgrade = NIOTypedHTTPClientUpgradeConfiguration<Void>(
                    upgradeRequestHead: head, upgraders: [upgrader]
                ) { $0.close() }
                return channel.pipeline.configureUpgradableHTTPClientPipeline(
                    configuration: .init(upgradeConfiguration: upgrade)
                ).flatMap { $0 }
            }
            .flatMap {
                client.value.signIn()
                return client.value.signedIn.futureResult
            }
            .map { client }
    }

    private func signIn() {
        send(#"{"v":1,"type":"signIn","user":"\#(user)","token":"\#(token)"}"#)
    }

    func send(_ text: String) {
        let frame = WebSocketFrame(
            fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
        context?.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }

    /// Stops or starts reading.
    func read(_ isReading: Bool) { try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading) }

    func close() { context?.close(promise: nil) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text where isSignedIn: received?(self, frame.data)
        case .text:
            isSignedIn = String(buffer: frame.data).contains(#""type":"signedIn""#)
            if isSignedIn {
                signedIn.succeed()
            } else {
                signedIn.fail(LoadFailure("\(user): \(String(buffer: frame.data))"))
            }
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.data)
            context.writeAndFlush(Self.wrapOutboundOut(pong), promise: nil)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        signedIn.fail(LoadFailure("\(user): the connection was closed"))
        ended?()
    }
}

/// What ends the benchmark early.
struct LoadFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
