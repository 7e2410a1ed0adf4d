import NIOCore
import Synchronization

/// Parses the response to an upgrade and the frames after it, for a ``RawClient``.
final class RawInbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    /// Gets an element when the response to the upgrade has arrived.
    let heads = Mailbox<Void>()
    let frames = Mailbox<RawClient.Frame>()
    var response: String { state.withLock { $0.response } }
    private let state = Mutex(State())

    private struct State {
        var pending: [UInt8] = []
        var response = ""
        var isUpgraded = false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received(Self.unwrapInboundIn(data).readableBytesView)
    }

    func channelInactive(context: ChannelHandlerContext) {
        heads.finish()
        frames.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func received(_ bytes: ByteBufferView) {
        state.withLock { state in
            state.pending += bytes
            if !state.isUpgraded {
                guard let end = Self.endOfHead(state.pending) else { return }
                state.isUpgraded = state.pending.starts(with: "HTTP/1.1 101".utf8)
                state.response = String(
                    decoding: state.pending[..<(state.isUpgraded ? end : state.pending.count)], as: UTF8.self)
                if state.isUpgraded { state.pending.removeFirst(end) }
                heads.put(())
            }
            guard state.isUpgraded else { return }
            var start = 0
            while let (frame, length) = Self.parse(state.pending[start...]) {
                frames.put(frame)
                start += length
            }
            state.pending.removeFirst(start)
        }
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4) where bytes[index..<index + 4].elementsEqual([13, 10, 13, 10]) {
            return index + 4
        }
        return nil
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> (RawClient.Frame, length: Int)? {
        let start = bytes.startIndex
        guard bytes.count >= 2, bytes[start + 1] < 128 else { return nil }
        var length = Int(bytes[start + 1])
        var header = 2
        if length >= 126 {
            let size = length == 126 ? 2 : 8
            guard bytes.count >= 2 + size else { return nil }
            length = bytes[(start + 2)..<(start + 2 + size)].reduce(0) { $0 << 8 | Int($1) }
            header += size
        }
        guard bytes.count >= header + length else { return nil }
        let payload = Array(bytes[(start + header)..<(start + header + length)])
        return (RawClient.Frame(opcode: bytes[start] & 0x0F, payload: payload), header + length)
    }
}
