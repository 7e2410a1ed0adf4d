internal import Synchronization

/// What the peer reports on the streams that this end sends (RFC 3550 section 6.4.1).
///
/// `rtpsession` keeps the last block of each report only, so it forgets one of two streams. The share of lost packets in a block is that of the time
/// since the block before. A peer that is a `rtpsession` repeats each block for each of its own streams, so most of its shares are 0.
final class ReceptionReports: Sendable {
    /// The reports on one stream.
    struct Stream: Sendable {
        /// One block.
        struct Block: Sendable, Equatable {
            /// Lost since the beginning; fewer than 0 if more arrived twice.
            let lost: Int
            /// The sequence number and how often it began anew.
            let highest: UInt32
            /// In units of the stream's clock.
            let jitter: UInt32
        }

        private(set) var latest: Block
        /// What the share is measured from, and the block that is next to be that.
        private var base: (block: Block, at: ClockReading)
        private var next: (block: Block, at: ClockReading)
        /// The shortest time that the share is about.
        static let interval = Duration.milliseconds(500)

        init(_ block: Block, at now: ClockReading) {
            latest = block
            (base, next) = ((block, now), (block, now))
        }

        mutating func note(_ block: Block, at now: ClockReading) {
            latest = block
            guard now - next.at >= Self.interval else { return }
            (base, next) = (next, (block, now))
        }

        /// The share of packets that were lost lately, 0 to 1.
        var fractionLost: Double {
            let expected = Int(Int32(bitPattern: latest.highest &- base.block.highest))
            guard expected > 0 else { return 0 }
            return min(1, max(0, Double(latest.lost - base.block.lost) / Double(expected)))
        }
    }

    private struct State {
        var sent: Set<UInt32> = []
        var reported: [UInt32: Stream] = [:]
        var onReport: (@Sendable (UInt32, Stream) -> Void)?
        var onEstimate: (@Sendable (ReceiverEstimate) -> Void)?
    }
    private let state = Mutex(State())

    /// Calls `handler` with each report on a stream and its SSRC, on the thread that receives it.
    func onReport(_ handler: @escaping @Sendable (UInt32, Stream) -> Void) { state.withLock { $0.onReport = handler } }

    /// Calls `handler` with each estimate of the peer, on the thread that receives it.
    func onEstimate(_ handler: @escaping @Sendable (ReceiverEstimate) -> Void) {
        state.withLock { $0.onEstimate = handler }
    }

    /// Takes reports on this stream from now on; those on others are ignored.
    func follow(_ ssrc: UInt32) { state.withLock { _ = $0.sent.insert(ssrc) } }

    /// Nil before the first report on the stream.
    subscript(ssrc: UInt32) -> Stream? { state.withLock { $0.reported[ssrc] } }

    /// Reads what leaves `source`, the source of RTCP packets.
    func read(_ source: Pad) { source.read { [self] in note($0) } }

    /// Reads a compound packet of the peer.
    func note(_ bytes: UnsafeRawBufferPointer, at now: ClockReading = .now) {
        for packet in RtcpPackets(bytes) {
            if let estimate = ReceiverEstimate(packet, in: bytes) { state.withLock { $0.onEstimate }?(estimate) }
            // The sender and the information about it, in sender reports only, precede the blocks.
            guard packet.type == 200 || packet.type == 201 else { continue }
            let first = packet.range.lowerBound + (packet.type == 200 ? 28 : 8)
            for place in (0..<packet.count).map({ first + 24 * $0 }) where place + 24 <= packet.range.upperBound {
                let word = { UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place + $0, as: UInt32.self)) }
                // 24 bits with a sign, behind 8 bits of the share.
                let lost = Int(Int32(bitPattern: word(4) << 8) >> 8)
                let block = Stream.Block(lost: lost, highest: word(8), jitter: word(12))
                note(block, on: word(0), at: now)
            }
        }
    }

    private func note(_ block: Stream.Block, on ssrc: UInt32, at now: ClockReading) {
        let stream: Stream? = state.withLock { state in
            guard state.sent.contains(ssrc) else { return nil }
            if state.reported[ssrc]?.note(block, at: now) == nil { state.reported[ssrc] = Stream(block, at: now) }
            return state.reported[ssrc]
        }
        if let stream { state.withLock { $0.onReport }?(ssrc, stream) }
    }
}

/// The packets of a compound RTCP packet, in order (RFC 3550 section 6.1); ends before the first one that is cut off.
struct RtcpPackets: Sequence, IteratorProtocol {
    struct Packet {
        /// The second byte: 200 is a sender report.
        let type: UInt8
        /// The lower five bits of the first byte: the number of report blocks, or the format of feedback.
        let count: Int
        /// Its place in the compound packet, with its header.
        let range: Range<Int>
    }

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether these are packets of known types and sufficient lengths, the last one of which may be padded, and nothing else.
    ///
    /// Of such packets, GStreamer reads the same ones as this does (`gst_rtcp_buffer_validate_reduced`, `read_packet_header`).
    static func areWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var (length, isPadded) = (0, false)
        for packet in RtcpPackets(bytes) {
            let place = packet.range.lowerBound
            guard !isPadded, bytes[place] & 0xc0 == 0x80, let shortest = shortest[packet.type],
                packet.range.count >= shortest
            else { return false }
            isPadded = bytes[place] & 0x20 != 0
            // GStreamer does not look at the padding of a packet that is alone. That of libwebrtc's reports is 1 to 3 bytes.
            if isPadded, place > 0, bytes[bytes.count - 1] == 0 || bytes[bytes.count - 1] % 4 != 0 { return false }
            length = packet.range.upperBound
        }
        return length == bytes.count
    }

    /// The length of the shortest packet of each type, in bytes.
    private static let shortest: [UInt8: Int] = [200: 28, 201: 8, 202: 4, 203: 4, 204: 12, 205: 12, 206: 12, 207: 8]

    mutating func next() -> Packet? {
        guard place + 4 <= bytes.count else { return nil }
        let words = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))
        let range = place..<place + 4 * (Int(words) + 1)
        guard range.upperBound <= bytes.count else { return nil }
        defer { place = range.upperBound }
        return Packet(type: bytes[place + 1], count: Int(bytes[place] & 0x1f), range: range)
    }
}
