internal import NIOCore
internal import NIOHTTP1

/// Answers every request that is no WebSocket upgrade with a short 426 and closes.
final class PlainHTTPHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let text = "This is a signaling server: connect with a WebSocket (RFC 6455).\n"
    private var hasAnswered = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The head does not come this far when an upgrade was asked for that is malformed, so any part will do.
        guard !hasAnswered else { return }
        hasAnswered = true
        var isHead = false
        if case .head(let request) = Self.unwrapInboundIn(data) { isHead = request.method == .HEAD }
        answer(context, withBody: !isHead)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What cannot be parsed was answered with 400 before it came here.
        context.close(promise: nil)
    }

    private func answer(_ context: ChannelHandlerContext, withBody: Bool) {
        let body = ByteBuffer(string: Self.text)
        let headers: HTTPHeaders = [
            "Connection": "close, upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(body.readableBytes)",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .upgradeRequired, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if withBody { context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        // Only this direction: closed at once, with a body of the client still unread, the system would send a reset and
        // the client might never see the answer. The deadline of the handshake closes the rest.
        context.close(mode: .output, promise: nil)
    }
}
