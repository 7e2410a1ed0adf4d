internal import NIOCore

/// Counts the bytes of one socket that wait for the system to take them.
///
/// The first handler of a pipeline: it sees what TLS and the other layers made of what was sent, and it closes the socket without
/// asking them.
final class SendQueue: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let channel: any Channel
    private(set) var waiting = 0
    private let exchange: Exchange
    private var context: ChannelHandlerContext?

    init(_ channel: any Channel, exchange: Exchange) {
        self.channel = channel
        self.exchange = exchange
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = Self.unwrapOutboundIn(data).readableBytes
        let written = promise ?? context.eventLoop.makePromise()
        count(bytes)
        // Also when the socket closes and takes it no more.
        written.futureResult.assumeIsolated().whenComplete { [self] _ in count(-bytes) }
        context.write(data, promise: written)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        // Only now: what the system took at once never waited.
        exchange.keepBacklogBound()
    }

    /// Closes the socket at once; what waits is thrown away.
    func cut() { context?.close(promise: nil) }

    private func count(_ bytes: Int) {
        waiting += bytes
        exchange.backlogChanged(by: bytes)
    }
}
