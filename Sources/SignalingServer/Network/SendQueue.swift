internal import NIOCore

/// Counts the bytes of one socket that wait for the system to accept them.
///
/// It is the first handler of a pipeline. So it sees the bytes after TLS and the other layers, and can close the socket without
/// them.
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
        // This also runs when the socket closes and drops the bytes.
        written.futureResult.assumeIsolated().whenComplete { [self] _ in count(-bytes) }
        context.write(data, promise: written)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        // Only now: bytes that the system accepted at once did not wait.
        exchange.keepBacklogBound()
    }

    /// Closes the socket at once; waiting bytes are dropped.
    func cut() { context?.close(promise: nil) }

    private func count(_ bytes: Int) {
        waiting += bytes
        exchange.backlogChanged(by: bytes)
    }
}
