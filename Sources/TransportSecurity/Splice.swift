package import NIOCore
internal import NIOTLS

/// One end of two joined connections: data that arrives here is sent there, and both close together, unless one is to outlive the other.
///
/// Reads only while the other end can accept more, so that nothing piles up in between. Both ends run on one event loop.
package final class Splice: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private var other: Splice?
    private var context: ChannelHandlerContext?
    /// Whether a read waits until the other end can take more.
    private var isReadPending = false
    private var isReady: Bool
    /// This end stays open when the other one closes after it has sent something.
    private let outlivesOther: Bool
    private var hasReceived = false
    /// The other end has closed: what arrives is dropped.
    private var isDraining = false

    private init(isReady: Bool, outlivesOther: Bool) { (self.isReady, self.outlivesOther) = (isReady, outlivesOther) }

    /// Makes two ends; call it on the event loop of both.
    ///
    /// With TLS in the far end's pipeline, the near end reads nothing before the handshake is complete: until then the TLS handler
    /// would buffer everything.
    package static func pair(
        on loop: any EventLoop, farHasTLS: Bool = false, nearOutlivesFar: Bool = false
    ) -> (near: NIOLoopBound<Splice>, far: NIOLoopBound<Splice>) {
        let (near, far) = (
            Splice(isReady: true, outlivesOther: nearOutlivesFar), Splice(isReady: !farHasTLS, outlivesOther: false)
        )
        (near.other, far.other) = (far, near)
        return (NIOLoopBound(near, eventLoop: loop), NIOLoopBound(far, eventLoop: loop))
    }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        guard let other else { return }
        self.other = nil
        if other.outlivesOther, hasReceived { other.drain() } else { other.context?.close(promise: nil) }
    }

    private func drain() {
        isDraining = true
        other = nil
        resume()
    }

    package func channelActive(context: ChannelHandlerContext) {
        // The other end may have closed while this one was connecting.
        if other?.context == nil { context.close(promise: nil) }
        context.fireChannelActive()
    }

    package func read(context: ChannelHandlerContext) {
        if isDraining || other?.canTakeMore == true { context.read() } else { isReadPending = true }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReceived = true
        other?.send(unwrapInboundIn(data))
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        other?.context?.flush()
        context.fireChannelReadComplete()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { other?.resume() }
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            isReady = true
            other?.resume()
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private var canTakeMore: Bool { isReady && context?.channel.isWritable ?? false }

    private func send(_ data: ByteBuffer) { context?.write(wrapOutboundOut(data), promise: nil) }

    private func resume() {
        guard isReadPending, let context else { return }
        isReadPending = false
        context.read()
    }
}
