internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import TransportSecurity

/// Describes in a few words why there is no WebSocket connection.
package enum HandshakeFailure {
    /// The text for an error of the network, of TLS or of the handshake.
    package static func text(_ error: any Error) -> String {
        switch error {
        case is HTTPParserError: "the server does not speak HTTP"
        case is NIOHTTPClientUpgradeError: "the server does not speak WebSocket"
        default: ConnectionFailure.text(error, plain: "ws://") ?? "the connection failed"
        }
    }
}

/// Reports why a TLS handshake failed, before other handlers see only that the connection closed.
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

/// Reads the HTTP answer of a server that does not upgrade to WebSocket.
final class HTTPAnswerReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let report: (HTTPResponseStatus) -> Void

    init(report: @escaping (HTTPResponseStatus) -> Void) { self.report = report }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = Self.unwrapInboundIn(data) { report(head.status) }
        context.close(promise: nil)
    }
}
