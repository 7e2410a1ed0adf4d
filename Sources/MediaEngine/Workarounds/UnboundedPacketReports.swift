internal import Synchronization

/// A peer can make `rtpsession` take much memory and time with small reports on sent packets (``TransportFeedback``).
///
/// `rtp_twcc_manager_parse_fci` makes a structure for each of the 65,535 packets that 36 bytes can report, and for each packet that is missing between two
/// reports. `rtp_twcc_stats_process_packets` keeps them until two later ones have arrived that were sent 300 ms apart; of packets that were never sent,
/// or that are all reported as lost, for ever. It also reads behind the end of a report whose deltas are missing, since it counts its length in
/// bytes as words. It does so whether reports were negotiated or not. So reports that are too large or too short are emptied in front of the session:
/// their packet count becomes 0. A packet becomes invalid as a whole if it has several of them, leaves out too many packets, or if more packets are
/// reported in all than this end can have sent. No upstream issue; the code is the same in 1.22 to 1.28.
final class UnboundedPacketReports: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    /// Packets in one report, or missing between two: more than 1,000 a second in reports of 250 ms, the rarest that are usual.
    static let maximum = 2_048
    /// Packets that may be reported in addition to those that were sent: 1 MB.
    static let slack = 16_384
    /// How often each sent packet may be reported: a receiver that gets packets in another order reports some again.
    fileprivate static let repetitions = 4
    /// The pause between two looks at what was sent.
    fileprivate static let pause = Duration.milliseconds(100)

    fileprivate struct State {
        /// The first packet that `rtpsession` expects in the next report, and the number of that report; nil before the first one.
        var expected: (number: UInt16, report: UInt8)?
        /// How many packets were reported, or missing between reports.
        var reported = 0
        /// How many may be.
        var allowed = slack
        /// How many had been sent at the latest look; `rtpsession` forgets streams that were silent.
        var sent = 0
        var lastLook: ClockReading?
    }
    private let state = Mutex(State())
    private let sentPackets: @Sendable () -> Int

    /// `sentPackets` returns how many packets this end has sent; it is called at most ten times a second.
    init(sentPackets: @escaping @Sendable () -> Int) { self.sentPackets = sentPackets }

    /// Bounds what leaves `source`, the source of RTCP packets.
    func bound(_ source: Pad) { source.overwrite { [self] bytes in excess(in: bytes, at: .now) } }

    /// The bytes of a compound packet to overwrite with zeros; nil if it may pass.
    func excess(in bytes: UnsafeRawBufferPointer, at now: ClockReading) -> Range<Int>? {
        guard RtcpPackets(bytes).contains(where: Self.isReport) else { return nil }
        // Otherwise GStreamer may read other reports than this does.
        guard RtcpPackets.areWhole(bytes) else { return 0..<bytes.count }
        let first = state.withLock { $0.take(bytes) }
        guard case .tooMany = first, state.withLock({ $0.mayLook(at: now) }) else { return first.range(in: bytes) }
        // This takes the lock of the session.
        let sent = sentPackets()
        return state.withLock { state in
            state.note(sent: sent)
            return state.take(bytes).range(in: bytes)
        }
    }

    /// Transport-layer feedback (205) of format 15.
    fileprivate static func isReport(_ packet: RtcpPackets.Packet) -> Bool { packet.type == 205 && packet.count == 15 }

    /// Whether a report has not too many packets, and all that it announces (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1).
    fileprivate static func isValid(_ report: UnsafeRawBufferPointer) -> Bool {
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

    fileprivate static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }
}

extension UnboundedPacketReports {
    /// What becomes of a compound packet.
    fileprivate enum Verdict {
        case passes
        case loses(Range<Int>)
        /// More packets are reported in all than this end is known to have sent.
        case tooMany

        func range(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
            switch self {
            case .passes: nil
            case .loses(let range): range
            case .tooMany: 0..<bytes.count
            }
        }
    }
}

extension UnboundedPacketReports.State {
    /// Takes the reports of a compound packet, unless it becomes invalid as a whole.
    fileprivate mutating func take(_ bytes: UnsafeRawBufferPointer) -> UnboundedPacketReports.Verdict {
        var (next, emptied) = (self, Range<Int>?.none)
        for packet in RtcpPackets(bytes) where UnboundedPacketReports.isReport(packet) {
            let (place, end) = (packet.range.lowerBound, packet.range.upperBound)
            // Without anything behind its SSRCs it is not read; with less than a header, what follows it is read.
            guard end - place > 12 else { continue }
            guard end - place >= 20 else { return .loses(place..<bytes.count) }
            let isValid = UnboundedPacketReports.isValid(UnsafeRawBufferPointer(rebasing: bytes[place + 12..<end]))
            guard next.follow(bytes, place + 12, isEmptied: !isValid) else { return .loses(place..<bytes.count) }
            guard !isValid else { continue }
            if let emptied { return .loses(emptied.lowerBound..<bytes.count) }
            emptied = place + 14..<place + 16
        }
        guard next.reported <= allowed else { return .tooMany }
        self = next
        return emptied.map { .loses($0) } ?? .passes
    }

    /// Takes the report at this place as `_check_for_lost_packets` does.
    ///
    /// - Returns: False if it does not follow the one before it closely enough.
    private mutating func follow(_ bytes: UnsafeRawBufferPointer, _ place: Int, isEmptied: Bool) -> Bool {
        let number = UInt16(UnboundedPacketReports.word(bytes, place))
        let count = isEmptied ? 0 : UnboundedPacketReports.word(bytes, place + 2)
        let report = bytes[place + 7]
        reported += count
        if let expected {
            let later = Int8(bitPattern: report &- expected.report)
            if later < 0 || later == 0 && number < expected.number { return true }
            if later == 0 {
                let missing = Int(number) - Int(expected.number)
                guard missing <= UnboundedPacketReports.maximum else { return false }
                reported += missing
            }
        }
        expected = (number &+ UInt16(count), report &+ 1)
        return true
    }

    /// Whether the last look at what was sent is long enough ago for another one, which begins now.
    fileprivate mutating func mayLook(at now: ClockReading) -> Bool {
        guard lastLook.map({ now - $0 >= UnboundedPacketReports.pause }) ?? true else { return false }
        lastLook = now
        return true
    }

    /// Notes how many packets this end has sent.
    fileprivate mutating func note(sent present: Int) {
        allowed += UnboundedPacketReports.repetitions * (present < sent ? present : present - sent)
        sent = present
    }
}
