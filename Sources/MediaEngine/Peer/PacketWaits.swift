internal import Synchronization

/// Measures how long the packets of one stream were in its jitter buffer.
final class PacketWaits: Sendable {
    /// More packets than any jitter buffer holds.
    private static let size = 4_096

    private struct State {
        /// In ns; 0 for a packet that is not in the buffer.
        var arrivals = [Int64](repeating: 0, count: size)
        var packets = 0
        var nanoseconds: Int64 = 0
    }
    private let state = Mutex(State())

    /// The totals of all packets that have left the buffer.
    var total: (packets: Int, seconds: Double) {
        state.withLock { ($0.packets, Double($0.nanoseconds) / 1e9) }
    }

    func begin(_ sequenceNumber: UInt16) {
        let now = ClockReading.now.nanoseconds
        state.withLock { $0.arrivals[Int(sequenceNumber) % Self.size] = now }
    }

    func end(_ sequenceNumber: UInt16) {
        let now = ClockReading.now.nanoseconds
        state.withLock { state in
            let place = Int(sequenceNumber) % Self.size
            guard state.arrivals[place] != 0 else { return }
            state.packets += 1
            state.nanoseconds += now - state.arrivals[place]
            state.arrivals[place] = 0
        }
    }
}
