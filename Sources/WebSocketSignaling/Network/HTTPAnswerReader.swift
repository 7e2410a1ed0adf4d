internal import NIOCore
internal import NIOHTTP1

/// Reads what a server that does not upgrade to WebSocket says instead.
final class HTTPAnswerReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let report: (HTTPResponseStatus) -> Void

    init(report: @escaping (HTTPResponseStatus) -> Void) { self.report = report }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = Self.unwrapInboundIn(data) { report(head.status) }
        context.close(promise: nil)
    }
}
