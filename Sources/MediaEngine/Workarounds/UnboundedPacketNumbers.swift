internal import Synchronization

/// A peer can end the process with the numbers of its packets (``TransportFeedback``).
///
/// `rtpsession` writes one report for all packets of an interval, and asserts that it fits into one RTCP packet (`rtp_twcc_manager_add_fci`). Numbers
/// far apart, or the same ones again and again, take several bytes each. `_twcc_seqnum_sort` does not order numbers that are spread over the whole range:
/// then each may take 22 bytes. So a report gets at most ``maximum`` numbers of each 50 ms, each once, and all of them close together. What
/// is more passes without its number: the extension is overwritten with padding (RFC 8285 section 4.2). No upstream issue; the assertion is in 1.22
/// to 1.28.
final class UnboundedPacketNumbers: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    /// An interval of reports may overlap three windows; a number takes at most 6 bytes, a report 1,388.
    static let maximum = 64
    /// How far apart the numbers of three windows may be: `rtpsession` orders those that are up to 535 apart.
    static let span = 500
    /// In ns.
    private static let window: Int64 = 50_000_000

    /// The numbers of 50 ms, in an array, since they are few: a set would hash each one.
    private struct Window {
        private(set) var numbers: [UInt16] = []
        private var lowest: UInt16 = 0
        private var highest: UInt16 = 0

        func allows(_ number: UInt16) -> Bool {
            numbers.isEmpty || isClose(number, lowest) && isClose(number, highest) && !numbers.contains(number)
        }

        private func isClose(_ number: UInt16, _ other: UInt16) -> Bool {
            Int16(bitPattern: number &- other).magnitude <= span
        }

        mutating func add(_ number: UInt16) {
            if numbers.isEmpty { (lowest, highest) = (number, number) }
            if Int16(bitPattern: number &- highest) > 0 { highest = number }
            if Int16(bitPattern: lowest &- number) > 0 { lowest = number }
            numbers.append(number)
        }

        mutating func clear() { numbers.removeAll(keepingCapacity: true) }
    }

    private struct State {
        var id: UInt8?
        var isBound = false
        var begin = ClockReading.now
        /// The present one is the first.
        var windows = [Window(), Window(), Window()]

        mutating func admits(_ number: UInt16, at now: ClockReading) -> Bool {
            let passed = (now.nanoseconds - begin.nanoseconds) / window
            if passed > 0 {
                begin = now
                for _ in 0..<min(passed, 3) {
                    windows[2].clear()
                    windows.swapAt(1, 2)
                    windows.swapAt(0, 1)
                }
            }
            guard windows[0].numbers.count < maximum, windows.allSatisfy({ $0.allows(number) }) else { return false }
            windows[0].add(number)
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
