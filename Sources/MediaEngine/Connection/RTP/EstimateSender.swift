internal import Synchronization

/// Tells a peer that asks for no reports on its packets how much video it may send (``ReceiverEstimate``).
///
/// Each RTCP packet ends with the estimate. When it falls, one is sent at once.
final class EstimateSender: Sendable {
    private struct State {
        var bandwidth: ReceiverBandwidth
        /// What the peer heard last.
        var said: Double?
    }
    private let state: Mutex<State>
    private let start = ClockReading.now

    /// A smaller change waits for the next regular packet.
    private static let smallestFall = 0.97

    /// - Parameter mostKbit: the highest rate of video that this end takes; nil: whatever the path takes.
    init(mostKbit: Int?) {
        state = Mutex(
            State(bandwidth: ReceiverBandwidth(most: mostKbit.map { VideoShare.bandwidth(forKbit: $0) } ?? .infinity)))
    }

    /// What the peer may send, in bit/s with all headers; nil before that is known, and for other peers.
    var bitrate: Double? { state.withLock { $0.bandwidth.bitrate } }

    /// Reads the packets that `session`, the `rtpsession` of the connection, receives, and adds to the RTCP packets that it sends.
    ///
    /// - Parameters:
    ///   - extensionId: the id of ``AbsoluteSendTime``.
    ///   - payloadTypes: those of the video, and of what repeats it.
    ///   - hurry: lets the session send RTCP at once.
    func begin(
        in session: Element, extensionId: UInt8, payloadTypes: Set<Int>, hurry: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        try session.pad("recv_rtp_sink").read { [self] bytes in
            guard let head = RtpHead(bytes), payloadTypes.contains(head.payloadType),
                let sendTime = AbsoluteSendTime.bits(of: extensionId, in: bytes)
            else { return }
            let packet = ReceiverBandwidth.Packet(head, sendTime: sendTime, bytes: bytes.count)
            if note(packet, at: .now) { hurry() }
        }
        try session.pad("send_rtcp_src").probe { [self] buffer in
            buffer.reference.withBytes { replacement(of: $0) }?.map { .replace($0) } ?? .pass
        }
    }

    /// Measures again on another path.
    func changePath() { state.withLock { $0.bandwidth.changePath() } }

    /// - Returns: whether the peer should hear of it at once.
    private func note(_ packet: ReceiverBandwidth.Packet, at now: ClockReading) -> Bool {
        state.withLock { state in
            state.bandwidth.note(packet, at: (now - start) / .seconds(1))
            guard let bitrate = state.bandwidth.bitrate, bitrate < (state.said ?? .infinity) * Self.smallestFall else {
                return false
            }
            // Once, also if the packet is late.
            state.said = bitrate
            return true
        }
    }

    /// The compound packet with the estimate behind the others.
    private func replacement(of compound: UnsafeRawBufferPointer) -> BufferRef? {
        guard let bytes = addition(to: compound) else { return nil }
        return (Array(compound) + bytes).withUnsafeBytes { BufferRef(copying: $0) }
    }

    private func addition(to compound: UnsafeRawBufferPointer) -> [UInt8]? {
        let packets = Array(RtcpPackets(compound))
        // A goodbye has to be the last one (RFC 3550 section 6.1).
        guard let first = packets.first, first.range.count >= 8, !packets.contains(where: { $0.type == 203 }) else {
            return nil
        }
        let sender = UInt32(bigEndian: compound.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        return state.withLock { state in
            guard let bitrate = state.bandwidth.bitrate else { return nil }
            state.said = bitrate
            return ReceiverEstimate(bitrate: bitrate, sources: state.bandwidth.sources).bytes(from: sender)
        }
    }
}
