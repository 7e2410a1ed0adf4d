internal import NIOCore
internal import NIOTLS

/// Limits the time of a TLS handshake, and reports why it failed.
final class HandshakeWatch: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: TimeAmount
    private let report: (any Error) -> Void
    private var alarm: Scheduled<Void>?
    private var isOver = false

    init(limit: TimeAmount, report: @escaping (any Error) -> Void) {
        self.limit = limit
        self.report = report
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let error = ChannelError.connectTimeout(limit)
        // Through the pipeline, so that this handler gets it like any other error.
        alarm = context.eventLoop.scheduleTask(in: limit) { channel.pipeline.fireErrorCaught(error) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { end() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    /// A connection that this end closes has not failed.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        end()
        context.close(mode: mode, promise: promise)
    }

    private func fail(_ error: any Error) {
        guard !isOver else { return }
        report(error)
        end()
    }

    private func end() {
        isOver = true
        alarm?.cancel()
    }
}
