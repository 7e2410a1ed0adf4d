internal import CallProtocol
internal import NIOCore
internal import NIOHTTP1

/// One connection of a client: reads one request, and closes after the response.
///
/// Runs on the endpoint's event loop only.
final class EndpointHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The longest body of a request, in bytes.
    private static let longestBody = SignalingLimits.sdpBytes
    /// How long a client may take to close after the response.
    private static let closeLimit = TimeAmount.seconds(1)

    private let limit: TimeAmount
    private let isForPages: Bool
    private let answer: EndpointListener.Answer
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var deadline: Scheduled<Void>?
    private var work: Task<Void, Never>?
    private var hasAnswered = false

    /// A request has to arrive `within` that time; `isForPages` lets web pages of other servers read the responses.
    init(within limit: TimeAmount, isForPages: Bool, answer: @escaping EndpointListener.Answer) {
        (self.limit, self.isForPages, self.answer) = (limit, isForPages, answer)
    }

    func handlerAdded(context: ChannelHandlerContext) { closes(context, in: limit) }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        work?.cancel()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard work == nil, !hasAnswered else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            if head.headers.first(name: "Expect")?.lowercased() == "100-continue" {
                let go = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(Self.wrapOutboundOut(.head(go)), promise: nil)
            }
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= Self.longestBody else {
                let text = "a body may have \(Self.longestBody) bytes"
                return send(EndpointReply(refusing: .payloadTooLarge, text), context)
            }
            body.writeBuffer(&part)
        case .end: begin(context)
        }
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard let head else { return }
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            return send(EndpointReply(refusing: .badRequest, "the body is not UTF-8"), context)
        }
        deadline?.cancel()
        let (answer, loop) = (answer, context.eventLoop)
        let connection = NIOLoopBound((self, context), eventLoop: loop)
        work = Task {
            let reply = await answer(head, text)
            loop.execute {
                let (handler, context) = connection.value
                handler.send(reply, context)
            }
        }
    }

    private func send(_ reply: EndpointReply, _ context: ChannelHandlerContext) {
        guard !hasAnswered, context.channel.isActive else { return }
        hasAnswered = true
        var headers = reply.headers
        headers.add(name: "Connection", value: "close")
        headers.add(name: "Cache-Control", value: "no-store")
        if reply.status != .noContent { headers.add(name: "Content-Length", value: "\(reply.body.utf8.count)") }
        if isForPages {
            headers.add(name: "Access-Control-Allow-Origin", value: "*")
            headers.add(name: "Access-Control-Allow-Methods", value: "OPTIONS, POST, PATCH, DELETE")
            headers.add(name: "Access-Control-Allow-Headers", value: "Authorization, Content-Type, If-Match")
            headers.add(name: "Access-Control-Expose-Headers", value: "Location, ETag, Link, Accept-Post, Retry-After")
        }
        let head = HTTPResponseHead(version: .http1_1, status: reply.status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if !reply.body.isEmpty {
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.body)))), promise: nil)
        }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        // Only this direction: a full close with unread data would make the system send a reset, and the client might not see the response.
        context.close(mode: .output, promise: nil)
        closes(context, in: Self.closeLimit)
    }

    private func closes(_ context: ChannelHandlerContext, in time: TimeAmount) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }
}
