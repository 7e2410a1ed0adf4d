internal import NIOCore
internal import NIOHTTP1

/// Writes one request and reads the response.
final class HTTPExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    enum Fault: Error {
        case noTrustedRoots
    }

    private let head: HTTPRequestHead
    private let body: String
    private let answer: EventLoopPromise<HTTPResponse>
    private let readsBody: Bool
    private var response: HTTPResponse?
    private var received = ByteBuffer()

    init(
        _ head: HTTPRequestHead, _ body: String, readsBody: Bool, _ answer: EventLoopPromise<HTTPResponse>
    ) {
        (self.head, self.body, self.readsBody, self.answer) = (head, body, readsBody, answer)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            response = HTTPResponse(status: Int(head.status.code), headers: head.headers, body: "")
            if !readsBody { finish(context) }
        case .body(var bytes):
            guard received.readableBytes + bytes.readableBytes <= HTTPRequest.longestBody else {
                return finish(context, fault: "is longer than \(HTTPRequest.longestBody / 1_024) kB")
            }
            received.writeBuffer(&bytes)
        case .end: finish(context)
        }
    }

    /// The head of a response counts even if its body does not come.
    private func finish(_ context: ChannelHandlerContext, fault: String? = nil) {
        guard var response else { return }
        response.fault = fault
        response.body = String(buffer: received)
        answer.succeed(response)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard response == nil else { return finish(context, fault: "broke off") }
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(context, fault: "broke off")
        answer.fail(ChannelError.eof)
    }
}
