internal import Dispatch

/// Sends the packets of a ``BandwidthProbe``: some of the latest ones of the video again, at the rate of the probe (RFC 4588).
///
/// The peer drops those that it has. One that got lost arrives after all.
final class ProbeSender: Sendable {
    private let packets: RetransmittedPackets
    private let sender: @Sendable () -> Element?
    private let queue: DispatchQueue

    /// A train on its way out.
    private struct Outgoing: Sendable {
        let packets: [RetransmittedPackets.Sent]
        let rate: Double
        let source: Pad
        let begin: Double
        let note: @Sendable (BandwidthProbe.Departure) -> Void
    }

    /// `sender` is the `rtprtxsend`; nil when the peer takes no packets again.
    init(_ packets: RetransmittedPackets, on queue: DispatchQueue, sender: @escaping @Sendable () -> Element?) {
        (self.packets, self.queue, self.sender) = (packets, queue, sender)
    }

    /// Sends a probe, and tells `note` what becomes of it; times are of GStreamer's system clock, in s.
    func send(_ train: BandwidthProbe.Train, note: @escaping @Sendable (BandwidthProbe.Departure) -> Void) {
        let wanted = train.packetBytes
        let fitting = packets.latest.sorted { abs($0.bytes - wanted) < abs($1.bytes - wanted) }.prefix(4)
        guard !fitting.isEmpty, let source = try? sender()?.pad("src") else { return note(.impossible) }
        let outgoing = Outgoing(
            packets: (0..<train.packets).map { fitting[$0 % fitting.count] }, rate: train.rate, source: source,
            begin: Self.now, note: note)
        note(.begun(at: outgoing.begin))
        queue.async { [weak self] in self?.send(outgoing, from: 0, bits: 0) }
    }

    /// Sends what is due, and the rest later: a timer may be late.
    private func send(_ outgoing: Outgoing, from index: Int, bits: Double) {
        var (index, bits) = (index, bits)
        while index < outgoing.packets.count, outgoing.begin + bits / outgoing.rate <= Self.now {
            let packet = outgoing.packets[index]
            packets.noteProbe()
            outgoing.source.sendAgain(packet.number, ssrc: packet.ssrc)
            bits += Double(packet.bytes) * 8
            index += 1
        }
        guard index < outgoing.packets.count else {
            // `rtprtxsend` sends them on a thread of its own.
            return outgoing.note(.ended(at: Self.now + Self.margin))
        }
        let wait = outgoing.begin + bits / outgoing.rate - Self.now
        queue.asyncAfter(deadline: .now() + max(wait, 0)) { [weak self, index, bits] in
            self?.send(outgoing, from: index, bits: bits)
        }
    }

    /// In s.
    private static let margin = 0.002
    /// The clock by which `rtpsession` notes when packets leave (CLOCK_MONOTONIC), in s.
    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
