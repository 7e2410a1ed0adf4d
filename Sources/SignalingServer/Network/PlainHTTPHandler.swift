internal import NIOCore
internal import NIOHTTP1

/// Answers every request that is not a WebSocket upgrade, and closes the connection.
final class PlainHTTPHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let exchange: Exchange
    private let handshake: Listener.Handshake
    private var hasAnswered = false

    init(exchange: Exchange, handshake: Listener.Handshake) {
        self.exchange = exchange
        self.handshake = handshake
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // For a malformed upgrade the head does not arrive here, so any part triggers the answer.
        guard !hasAnswered else { return }
        hasAnswered = true
        var request: HTTPRequestHead?
        if case .head(let head) = Self.unwrapInboundIn(data) { request = head }
        let answer = handshake.refusal ?? Router.answer(to: request, on: context.channel, exchange)
        send(answer, withBody: request?.method != .HEAD, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Malformed requests were answered with 400 before they got here.
        context.close(promise: nil)
    }

    private func send(_ answer: HTTPAnswer, withBody: Bool, _ context: ChannelHandlerContext) {
        let body = ByteBuffer(string: answer.body)
        let isUpgrade = answer.headers.contains { $0.0 == "Upgrade" }
        var headers: HTTPHeaders = [
            "Connection": isUpgrade ? "close, upgrade" : "close", "Content-Type": answer.contentType,
            "Content-Length": "\(body.readableBytes)", "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        ]
        for (name, value) in answer.headers { headers.replaceOrAdd(name: name, value: value) }
        // These describe the page (RFC 9110 section 15.4.5), which is not sent.
        if answer.status == .notModified {
            for name in ["Content-Length", "Content-Type"] { headers.remove(name: name) }
        }
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if withBody { context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        // Closes only this direction. A full close with unread data would make the system send a reset, and the client
        // might never see the answer. The deadline of the handshake closes the other direction.
        context.close(mode: .output, promise: nil)
    }
}
