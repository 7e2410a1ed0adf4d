internal import Synchronization

/// A peer can make `rtpsession` take much memory and time with small reports on sent packets (``TransportFeedback``).
///
/// `rtp_twcc_manager_parse_fci` makes a structure for each of the 65,535 packets that 36 bytes can report, and for each packet that is missing between two
/// reports. `rtp_twcc_stats_process_packets` keeps them. It also reads behind the end of a report whose deltas are missing, since it counts its length in
/// bytes as words. It does so whether reports were negotiated or not. So reports that are too large or too short are emptied in front of the session:
/// their packet count becomes 0. A packet with several of them, or one that leaves out too many packets, becomes invalid as a whole. No upstream
/// issue; the code is the same in 1.22 to 1.28.
final class UnboundedPacketReports: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    /// Packets in one report, or missing between two: more than 1,000 a second in reports of 250 ms, the rarest that are usual.
    static let maximum = 2_048

    /// What `rtpsession` expects next.
    private struct Expectation {
        let number: UInt16
        let report: UInt8
    }
    private let expected = Mutex<Expectation?>(nil)

    /// Bounds what leaves `source`, the source of RTCP packets.
    func bound(_ source: Pad) { source.overwrite { [self] bytes in excess(in: bytes) } }

    /// The bytes of a compound packet to overwrite with zeros; nil if it may pass.
    func excess(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        var found: Range<Int>?
        for packet in RtcpPackets(bytes) {
            let (place, end) = (packet.range.lowerBound, packet.range.upperBound)
            // Transport-layer feedback (205) of format 15.
            guard packet.type == 205, packet.count == 15, end - place >= 20 else { continue }
            guard isGradual(bytes, place + 12) else { return place..<bytes.count }
            guard !Self.isValid(UnsafeRawBufferPointer(rebasing: bytes[place + 12..<end])) else { continue }
            if let found { return found.lowerBound..<bytes.count }
            found = place + 14..<place + 16
        }
        return found
    }

    /// Whether the report at this place follows the one before it closely enough; mirrors `_check_for_lost_packets`.
    private func isGradual(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        let (number, count) = (UInt16(Self.word(bytes, place)), UInt16(Self.word(bytes, place + 2)))
        let report = bytes[place + 7]
        return expected.withLock { expected in
            if let expected {
                let later = Int8(bitPattern: report &- expected.report)
                if later < 0 || later == 0 && number < expected.number { return true }
                if later == 0, Int(number) - Int(expected.number) > Self.maximum { return false }
            }
            expected = Expectation(number: number &+ count, report: report &+ 1)
            return true
        }
    }

    /// Whether a report has not too many packets, and all that it announces (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1).
    private static func isValid(_ report: UnsafeRawBufferPointer) -> Bool {
        let count = word(report, 2)
        guard count <= maximum else { return false }
        var (remaining, place, deltas) = (count, 8, 0)
        while remaining > 0 {
            guard place + 2 <= report.count else { return false }
            let chunk = word(report, place)
            place += 2
            if chunk & 0x8000 == 0 {
                let run = min(chunk & 0x1fff, remaining)
                guard run > 0 else { return false }
                deltas += run * bytes(ofStatus: chunk >> 13 & 3)
                remaining -= run
            } else {
                let (symbols, width) = chunk & 0x4000 == 0 ? (14, 1) : (7, 2)
                for index in 0..<min(symbols, remaining) {
                    deltas += bytes(ofStatus: chunk >> (14 - (index + 1) * width) & (1 << width - 1))
                }
                remaining -= min(symbols, remaining)
            }
        }
        return place + deltas <= report.count
    }

    /// The length of the delta of a packet with this status.
    private static func bytes(ofStatus status: Int) -> Int { status == 1 ? 1 : status == 2 ? 2 : 0 }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }
}
