internal import NIOCore
internal import NIOHTTP1

/// Writes one request and reads the status of the response.
final class WebHookHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let body: String
    private let answer: EventLoopPromise<UInt>

    init(_ head: HTTPRequestHead, _ body: String, _ answer: EventLoopPromise<UInt>) {
        (self.head, self.body, self.answer) = (head, body, answer)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The rest of the response is ignored.
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        answer.succeed(head.status.code)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { answer.fail(ChannelError.eof) }
}
