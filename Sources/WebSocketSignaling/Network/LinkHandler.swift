internal import CallAgent
internal import CallProtocol
internal import LocalNetwork
internal import NIOCore
internal import NIOWebSocket
internal import WebSocketClient

/// Receives the reports of a ``LinkHandler``, always on its event loop.
protocol LinkDelegate: AnyObject {
    /// The server answered the sign-in.
    func link(_ link: LinkHandler, answered reply: ServerReply?)
    /// A message arrived.
    func link(_ link: LinkHandler, received text: String)
    /// The connection is gone; `text` says why. The last report.
    func linkEnded(_ link: LinkHandler, text: String)
}

/// The client's end of one WebSocket connection.
///
/// Runs on its event loop only.
final class LinkHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The receiver of the reports.
    ///
    /// Kept until the connection has ended.
    var delegate: (any LinkDelegate)?
    private let request: SignInRequest
    private let configuration: WebSocketTransportConfiguration
    private var phase = Phase.new
    private var context: ChannelHandlerContext?
    private var isPaused = false
    private var silence: SilenceWatch
    private var silenceTimer: Scheduled<Void>?
    private var closeTimer: Scheduled<Void>?
    private var checkTimer: Scheduled<Void>?
    private var isBeingChecked = false
    /// The first reason why the connection ends; later errors are only its consequence.
    private var reason: String?

    private enum Phase {
        /// The pipeline is being changed. Can transition to: signingIn, ended.
        case new
        /// Can transition to: open, closing, ended.
        case signingIn
        /// Can transition to: closing, ended.
        case open
        /// A close frame was sent. Can transition to: ended.
        case closing
        case ended
    }

    init(request: SignInRequest, configuration: WebSocketTransportConfiguration, delegate: any LinkDelegate) {
        self.request = request
        self.configuration = configuration
        self.delegate = delegate
        silence = SilenceWatch(
            interval: configuration.pingInterval, timeout: configuration.silenceTimeout, now: .now)
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Sends the sign-in; the answer goes to the delegate.
    func signIn() {
        guard case .new = phase, let context else { return }
        phase = .signingIn
        scheduleSilenceCheck(in: configuration.pingInterval)
        context.writeAndFlush(frame(.text, ByteBuffer(string: request.json)), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        silenceTimer?.cancel()
        checkTimer?.cancel()
        closeTimer?.cancel()
        context = nil
        delegate.take()?.linkEnded(self, text: reason ?? "the server closed the connection")
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        silence.heard(at: .now)
        guard frame.maskKey == nil, frame.reservedBits.isEmpty else {
            return close(.protocolError, reason: "the server broke the WebSocket protocol")
        }
        switch frame.opcode {
        case .text: receive(frame.data)
        case .binary: close(.unacceptableData, reason: "the server sent a binary message")
        // The answers to a server that does not read them would fill the memory.
        case .ping: if context.channel.isWritable { write(.pong, frame.data) }
        case .pong: break
        case .connectionClose: answerClose(context, frame.data)
        default: close(.protocolError, reason: "the server broke the WebSocket protocol")
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge:
            close(
                .messageTooLarge, reason: "the server sent a message of more than \(SignalingLimits.messageBytes) bytes"
            )
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            close(.protocolError, reason: "the server broke the WebSocket protocol")
        // The decoder has failed and drops later data; the closing handshake has its own time limit.
        case is ByteToMessageDecoderError: break
        default:
            reason = reason ?? HandshakeFailure.text(error)
            context.close(promise: nil)
        }
    }

    private func receive(_ data: ByteBuffer) {
        guard let text = String(validating: data.readableBytesView, as: UTF8.self) else {
            return close(.dataInconsistentWithMessage, reason: "the server sent a text that is not UTF-8")
        }
        switch phase {
        case .signingIn:
            phase = .open
            delegate?.link(self, answered: ServerReply(decoding: text))
        // Messages that the server sent before the close still count.
        case .open, .closing: delegate?.link(self, received: text)
        case .new, .ended: break
        }
    }

    private func answerClose(_ context: ChannelHandlerContext, _ data: ByteBuffer) {
        var data = data
        if let status = data.readInteger(as: UInt16.self) {
            let isPrintable = data.readableBytesView.allSatisfy { (0x20...0x7E).contains($0) }
            let text = isPrintable && data.readableBytes > 0 ? ": " + String(buffer: data) : ""
            reason = reason ?? "the server closed the connection (\(status)\(text))"
        }
        guard phase != .closing else { return context.close(promise: nil) }
        close(.normalClosure, reason: "the server closed the connection")
        // RFC 6455 section 7.1.1: the server closes the socket first. This is for a server that does not.
    }

    // MARK: Out

    /// Sends one message.
    ///
    /// Succeeds when the system has taken it.
    func send(_ text: String) -> EventLoopFuture<Void>? {
        guard phase == .open, let context else { return nil }
        return context.writeAndFlush(frame(.text, ByteBuffer(string: text)))
    }

    /// Begins the closing handshake after everything that was sent before, and ends it after the time limit at the latest.
    func close(_ code: WebSocketErrorCode, reason: String) {
        guard let context, phase == .open || phase == .signingIn else { return }
        phase = .closing
        self.reason = self.reason ?? reason
        var data = ByteBuffer()
        data.write(webSocketErrorCode: code)
        context.writeAndFlush(frame(.connectionClose, data), promise: nil)
        // The server's answer must be read, however slow the application is.
        resumeReading()
        closeTimer = schedule(configuration.closeTimeout) { $0.context?.close(promise: nil) }
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        guard let context, phase == .open || phase == .signingIn else { return }
        context.writeAndFlush(frame(opcode, data), promise: nil)
    }

    private func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> NIOAny {
        // RFC 6455 section 5.3: a client masks every frame with a new key.
        Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data))
    }

    // MARK: Back-pressure

    /// Leaves arriving data to the system, and so to the server, until ``resumeReading()``.
    func pauseReading() {
        guard phase == .open, let context else { return }
        isPaused = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    }

    func resumeReading() {
        guard isPaused, let context else { return }
        isPaused = false
        silence.heard(at: .now)
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }

    // MARK: Time

    /// Pings a silent server, and gives up one that stays silent.
    private func checkSilence() {
        guard let context, phase == .open || phase == .signingIn else { return }
        // While reading is paused, this end itself causes the silence.
        if isPaused { silence.heard(at: .now) }
        switch silence.check(at: .now) {
        case .givenUp(let time):
            reason = "nothing came from the server for \(Int(time / .milliseconds(1))) ms"
            // No closing handshake: nobody would answer it.
            context.close(promise: nil)
        case .ping(let delay):
            write(.ping, ByteBuffer())
            scheduleSilenceCheck(in: delay)
        case .wait(let delay): scheduleSilenceCheck(in: delay)
        }
    }

    /// Gives the server up unless it answers a ping within `limit`; at once when this machine no longer has the connection's address.
    func check(within limit: Duration) {
        guard let context, phase == .open else { return }
        // The addresses of an interface that is down stay.
        if let address = context.channel.localAddress?.ipAddress, !LocalAddresses.isInUse(address) {
            reason = "this machine no longer has the address \(address)"
            return context.close(promise: nil)
        }
        guard !isBeingChecked else { return }
        isBeingChecked = true
        write(.ping, ByteBuffer())
        // Something may have arrived and not been read yet.
        let begin = silence
        checkTimer = schedule(limit) { link in
            link.isBeingChecked = false
            guard link.silence.isUnheard(since: begin), !link.isPaused else { return }
            link.reason = "the server did not answer within \(Int(limit / .milliseconds(1))) ms"
            link.context?.close(promise: nil)
        }
    }

    private func scheduleSilenceCheck(in delay: Duration) {
        silenceTimer = schedule(delay) { $0.checkSilence() }
    }

    private func schedule(_ delay: Duration, _ body: @escaping (LinkHandler) -> Void) -> Scheduled<Void>? {
        context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [weak self] in
            guard let self else { return }
            body(self)
        }
    }
}
