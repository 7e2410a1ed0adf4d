internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A UDP port that forwards to another one on 127.0.0.1 and holds packets until ``release()``, like a server that answers late.
package final class HeldUDP: Sendable {
    package let port: Int
    private let channel: any Channel
    private let state = Held()

    package init(to port: Int) async throws {
        let server = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let state = state
        channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Forwarding(server: server, state: state))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        self.port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }

    /// How many packets are held.
    package var count: Int { state.value.withLock { $0.packets.count } }

    /// Forwards everything from now on, the held packets first.
    package func release() {
        let waiting = state.value.withLock { state in
            state.isOpen = true
            defer { state.packets = [] }
            return state.packets
        }
        for packet in waiting { channel.pipeline.fireChannelRead(packet) }
    }
}

private final class Held: Sendable {
    struct State {
        var isOpen = false
        var packets: [AddressedEnvelope<ByteBuffer>] = []
    }

    let value = Mutex(State())
}

/// Forwards each client's packets from a socket of its own, and sends the answers back.
private final class Forwarding: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let server: SocketAddress
    private let state: Held
    private var ways: [SocketAddress: EventLoopFuture<any Channel>] = [:]

    init(server: SocketAddress, state: Held) { (self.server, self.state) = (server, state) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let packet = unwrapInboundIn(data)
        let mayPass = state.value.withLock { state in
            if !state.isOpen { state.packets.append(packet) }
            return state.isOpen
        }
        guard mayPass else { return }
        let (server, near, client) = (server, context.channel, packet.remoteAddress)
        let way =
            ways[client]
            ?? DatagramBootstrap(group: context.eventLoop).channelInitializer { far in
                far.eventLoop.makeCompletedFuture {
                    try far.pipeline.syncOperations.addHandler(Returning(to: client, over: near))
                }
            }.bind(host: "127.0.0.1", port: 0)
        ways[client] = way
        way.whenSuccess { $0.writeAndFlush(AddressedEnvelope(remoteAddress: server, data: packet.data), promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        for way in ways.values { way.whenSuccess { $0.close(promise: nil) } }
        ways = [:]
        context.fireChannelInactive()
    }
}

private final class Returning: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let client: SocketAddress
    private let near: any Channel

    init(to client: SocketAddress, over near: any Channel) { (self.client, self.near) = (client, near) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        near.writeAndFlush(
            AddressedEnvelope(remoteAddress: client, data: unwrapInboundIn(data).data), promise: nil)
    }
}
