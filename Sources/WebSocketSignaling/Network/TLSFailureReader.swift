internal import NIOCore
internal import NIOSSL

/// Tells why a TLS handshake failed, before others see only that the connection closed.
final class TLSFailureReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let report: (any Error) -> Void

    init(report: @escaping (any Error) -> Void) { self.report = report }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOSSLError || error is NIOSSLExtraError { report(error) }
        context.fireErrorCaught(error)
    }
}
