internal import Synchronization

/// A peer can end the process with the numbers of its packets (``TransportFeedback``).
///
/// `rtpsession` writes one report for all packets of an interval, and asserts that it fits into one RTCP packet (`rtp_twcc_manager_add_fci`). Numbers
/// far apart, or the same ones again and again, take several bytes each. So a report gets at most ``maximum`` numbers of each 50 ms, each once. What
/// is more passes without its number: the extension is overwritten with padding (RFC 8285 section 4.2). No upstream issue; the assertion is in 1.22
/// to 1.28.
final class UnboundedPacketNumbers: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    /// An interval of reports may overlap three windows; a number takes at most 7 bytes, a report 1,388.
    static let maximum = 64
    /// In ns.
    private static let window: Int64 = 50_000_000

    private struct State {
        var id: UInt8?
        var isBound = false
        var begin = ClockReading.now
        // Arrays, since they hold few numbers: a set would hash each one.
        var current: [UInt16] = []
        var previous: [UInt16] = []

        mutating func admits(_ number: UInt16, at now: ClockReading) -> Bool {
            let passed = now.nanoseconds - begin.nanoseconds
            if passed >= window {
                swap(&previous, &current)
                if passed >= 2 * window { previous.removeAll(keepingCapacity: true) }
                current.removeAll(keepingCapacity: true)
                begin = now
            }
            guard current.count < maximum, !previous.contains(number), !current.contains(number) else { return false }
            current.append(number)
            return true
        }
    }
    private let state = Mutex(State())

    /// Bounds what leaves `source`, in front of the RTP session; a second call has no effect, since no number is admitted twice.
    func bound(_ source: Pad) {
        let isBound = state.withLock { state in
            defer { state.isBound = true }
            return state.isBound
        }
        guard !isBound else { return }
        source.overwrite { [self] bytes in excess(in: bytes, at: .now) }
    }

    /// The id of the extension; nil while nothing is reported.
    func setId(_ id: Int?) { state.withLock { $0.id = id.flatMap { UInt8(exactly: $0) } } }

    /// The bytes of a packet that must become padding; nil if its number may be reported.
    func excess(in bytes: UnsafeRawBufferPointer, at now: ClockReading) -> Range<Int>? {
        state.withLock { state in
            guard let id = state.id, let place = RtpHeaderExtension.place(of: id, bytes: 2, in: bytes) else {
                return nil
            }
            let number = UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
            return state.admits(number, at: now) ? nil : place - 1..<place + 2
        }
    }
}
