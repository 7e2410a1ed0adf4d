internal import NIOCore
internal import NIOWebSocket

/// Joins the frames of a message, and checks the requirements of RFC 6455 and the protocol for a client's frames.
///
/// It holds one buffer of at most the limit, regardless of the number of frames.
struct MessageAssembler {
    enum Outcome {
        case message(ByteBuffer)
        case incomplete
        case violation(WebSocketErrorCode, text: String)
    }

    private let limit: Int
    private var partial: ByteBuffer?

    init(limit: Int) { self.limit = limit }

    /// The violation in a frame of any kind, or nil.
    static func violation(of frame: WebSocketFrame) -> Outcome? {
        // RFC 6455 section 5.1: a server MUST close the connection upon receiving a frame that is not masked.
        guard frame.maskKey != nil else { return .violation(.protocolError, text: "a client's frames are masked") }
        guard frame.reservedBits.isEmpty else { return .violation(.protocolError, text: "a reserved bit is set") }
        return nil
    }

    /// Adds the next frame that is not a control frame.
    mutating func take(_ frame: WebSocketFrame) -> Outcome {
        switch frame.opcode {
        case .text:
            guard partial == nil else { return .violation(.protocolError, text: "the last message is not complete") }
            return join(nil, frame)
        case .continuation:
            guard let begun = partial.take() else {
                return .violation(.protocolError, text: "there is no message to continue")
            }
            return join(begun, frame)
        case .binary: return .violation(.unacceptableData, text: "binary frames have no meaning here")
        default: return .violation(.protocolError, text: "unknown opcode")
        }
    }

    private mutating func join(_ begun: ByteBuffer?, _ frame: WebSocketFrame) -> Outcome {
        guard (begun?.readableBytes ?? 0) + frame.length <= limit else {
            return .violation(.messageTooLarge, text: "longer than \(limit) bytes")
        }
        var data = frame.unmaskedData
        var message: ByteBuffer
        if let begun {
            message = begun
            message.writeBuffer(&data)
        } else if frame.fin {
            message = data
        } else {
            // A copy: a slice would keep the whole read buffer of the socket alive.
            message = ByteBuffer(bytes: data.readableBytesView)
        }
        guard !frame.fin else { return .message(message) }
        partial = message
        return .incomplete
    }
}
