internal import Dispatch
internal import Synchronization

/// Sends the packets of a ``BandwidthProbe``: the latest ones of the video again, at the rate of the probe (RFC 4588).
///
/// The peer drops those that it has, as libwebrtc's padding. One that got lost arrives after all.
final class ProbeSender: Sendable {
    private let packets: RetransmittedPackets
    private let sender: @Sendable () -> Element?
    private let queue: DispatchQueue

    /// `sender` is the `rtprtxsend`; nil when the peer takes no packets again.
    init(_ packets: RetransmittedPackets, on queue: DispatchQueue, sender: @escaping @Sendable () -> Element?) {
        (self.packets, self.queue, self.sender) = (packets, queue, sender)
    }

    func send(_ train: BandwidthProbe.Train) {
        let latest = packets.latest
        guard !latest.isEmpty, let source = try? sender()?.pad("src") else { return }
        let packets = (0..<train.packets).map { latest[$0 % latest.count] }
        send(packets[...], at: train.rate, through: source)
    }

    private func send(_ packets: ArraySlice<RetransmittedPackets.Sent>, at rate: Double, through source: Pad) {
        guard let packet = packets.first else { return }
        source.sendAgain(packet.number, ssrc: packet.ssrc)
        queue.asyncAfter(deadline: .now() + Double(packet.bytes) * 8 / rate) { [weak self] in
            self?.send(packets.dropFirst(), at: rate, through: source)
        }
    }
}
