internal import CallProtocol
internal import Logging
internal import NIOCore
internal import NIOWebSocket

/// One client's WebSocket: frames, time limits, and the closing handshake.
///
/// Runs on the server's event loop only.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The address of the client.
    let client: ClientAddress?
    private let exchange: Exchange
    private var phase = Phase.new
    private var assembler: MessageAssembler
    private var context: ChannelHandlerContext?
    private var silence: SilenceWatch
    private var signInTimer: Scheduled<Void>?
    private var silenceTimer: Scheduled<Void>?
    /// The client did not answer pings.
    private var isSilent = false
    private var closeTimer: Scheduled<Void>?

    private enum Phase {
        /// Not in a pipeline yet. Can transition to: open.
        case new
        /// Can transition to: closing, closed.
        case open(ConnectionID)
        /// A close frame was sent; everything that arrives is dropped. Can transition to: closed.
        case closing(ConnectionID)
        case closed
    }

    init(exchange: Exchange, client: ClientAddress?) {
        self.exchange = exchange
        self.client = client
        let configuration = exchange.configuration
        assembler = MessageAssembler(limit: configuration.messageBytes)
        silence = SilenceWatch(
            interval: configuration.pingInterval, timeout: configuration.silenceTimeout, now: .now)
    }

    /// Identifies the socket while it is open.
    var channelIdentifier: ObjectIdentifier? { context.map { ObjectIdentifier($0.channel) } }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        self.context = context
        let connection = exchange.opened(self)
        phase = .open(connection)
        guard !exchange.isDraining else { return close(.goingAway, text: "the server stops") }
        signInTimer = schedule(in: TimeAmount(exchange.configuration.signInTimeout)) {
            $0.exchange.signInTimedOut(connection)
        }
        scheduleSilenceCheck(in: exchange.configuration.pingInterval)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        let phaseBefore = phase
        phase = .closed
        for timer in [signInTimer, silenceTimer, closeTimer] { timer?.cancel() }
        switch phaseBefore {
        case .open(let connection):
            exchange.closed(connection, isSilent: isSilent)
            exchange.ended(connection)
        case .closing(let connection): exchange.ended(connection)
        case .new, .closed: break
        }
        context = nil
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        silence.heard(at: .now)
        switch phase {
        case .open(let connection): read(frame, on: connection)
        // The answer to the close frame; nothing else matters now.
        case .closing: if frame.opcode == .connectionClose { context.close(promise: nil) }
        case .new, .closed: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (phase, error) {
        case (.open, NIOWebSocketError.invalidFrameLength):
            close(.messageTooLarge, text: "longer than \(exchange.configuration.messageBytes) bytes")
        case (.open, is NIOWebSocketError): close(.protocolError, text: "malformed control frame")
        // The decoder failed before and drops all further data; the closing handshake has its own time limit.
        case (.closing, is ByteToMessageDecoderError): break
        default: context.close(promise: nil)
        }
    }

    private func read(_ frame: WebSocketFrame, on connection: ConnectionID) {
        exchange.receivedFrame(on: connection)
        // Too many frames have closed the connection.
        guard case .open = phase else { return }
        if case .violation(let code, let text) = MessageAssembler.violation(of: frame) {
            return close(code, text: text)
        }
        switch frame.opcode {
        case .ping: send(.pong, frame.unmaskedData)
        case .pong: break
        case .connectionClose: answerClose(frame.unmaskedData)
        default:
            switch assembler.take(frame) {
            case .incomplete: break
            case .violation(let code, let text): close(code, text: text)
            case .message(let text):
                // Not forwarded: the receiver would have to close its connection (RFC 6455 section 8.1).
                guard String(validating: text.readableBytesView, as: UTF8.self) != nil else {
                    return close(.dataInconsistentWithMessage, text: "not UTF-8")
                }
                exchange.received(text, on: connection)
            }
        }
    }

    // MARK: Out

    /// Sends one message, or closes the connection if too many bytes wait for it already.
    func send(_ text: ByteBuffer) { send(.text, text) }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        guard case .open(let connection) = phase, let context else { return }
        // The bytes that the kernel has not accepted yet, without this frame, so that the longest allowed frame always fits.
        let pending = exchange.waitingBytes(at: context.channel)
        guard pending + data.readableBytes <= exchange.configuration.pendingBytes else {
            exchange.logger.warning("a client does not read", metadata: ["connection": "\(connection.number)"])
            return close(.policyViolation, text: "\(pending) bytes were not read")
        }
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
        exchange.sent(bytes: data.readableBytes, pending: pending)
    }

    // MARK: Closing

    /// Begins the closing handshake; the user is signed out at once.
    ///
    /// Does nothing if it has begun before. The client has to answer within `limit` (default: the close timeout).
    func close(_ code: WebSocketErrorCode, text: String, within limit: TimeAmount? = nil) {
        var data = ByteBuffer()
        data.write(webSocketErrorCode: code)
        data.writeString(text)
        beginClosing(data, within: limit)
    }

    /// Closes the connection and reads nothing more; otherwise the server would parse the client's messages until the close timeout.
    func throwOut(text: String) {
        // Enough time for the close frame to arrive before the reset that unread bytes cause.
        close(.policyViolation, text: text, within: .milliseconds(100))
        try? context?.channel.syncOptions?.setOption(.autoRead, value: false)
    }

    /// Answers the client's close frame and closes the socket.
    private func answerClose(_ data: ByteBuffer) {
        // RFC 6455 section 5.5.1: the answer has the received status, except for one that must not be sent
        // (section 7.4.1).
        let status = data.getInteger(at: data.readerIndex, as: UInt16.self)
        var answer = ByteBuffer()
        if let status {
            let isAllowed = (1000...4999).contains(status) && ![1004, 1005, 1006, 1015].contains(status)
            answer.writeInteger(isAllowed ? status : 1002)
        }
        beginClosing(answer)?.assumeIsolated().whenComplete { [self] _ in context?.close(promise: nil) }
    }

    @discardableResult
    private func beginClosing(_ data: ByteBuffer, within limit: TimeAmount? = nil) -> EventLoopFuture<Void>? {
        guard case .open(let connection) = phase, let context else { return nil }
        phase = .closing(connection)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        let written = context.writeAndFlush(Self.wrapOutboundOut(frame))
        // Frees the socket of a client that neither answers nor reads.
        closeTimer = schedule(in: limit ?? TimeAmount(exchange.configuration.closeTimeout)) {
            $0.context?.close(promise: nil)
        }
        exchange.closed(connection, isSilent: isSilent)
        return written
    }

    // MARK: Time

    /// Pings a silent client, and closes the connection if it stays silent.
    private func checkSilence() {
        guard case .open = phase else { return }
        switch silence.check(at: .now) {
        case .givenUp(let time):
            isSilent = true
            close(.policyViolation, text: "nothing came for \(Int(time / .milliseconds(1))) ms")
        case .ping(let delay):
            send(.ping, ByteBuffer())
            scheduleSilenceCheck(in: delay)
        case .wait(let delay): scheduleSilenceCheck(in: delay)
        }
    }

    private func scheduleSilenceCheck(in delay: Duration) {
        silenceTimer = schedule(in: TimeAmount(delay)) { $0.checkSilence() }
    }

    private func schedule(in delay: TimeAmount, _ body: @escaping (ConnectionHandler) -> Void) -> Scheduled<Void>? {
        context?.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self else { return }
            body(self)
        }
    }
}
