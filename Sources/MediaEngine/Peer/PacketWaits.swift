internal import Dispatch
internal import Synchronization

/// How long the packets of one stream were in its jitter buffer.
final class PacketWaits: Sendable {
    /// More than a jitter buffer holds at any rate.
    private static let size = 4_096

    private struct State {
        /// In ns; 0 for a packet that is not in it.
        var arrivals = [UInt64](repeating: 0, count: size)
        var packets = 0
        var nanoseconds: UInt64 = 0
    }
    private let state = Mutex(State())

    /// Of all packets that have left.
    var total: (packets: Int, seconds: Double) {
        state.withLock { ($0.packets, Double($0.nanoseconds) / 1e9) }
    }

    func begin(_ sequenceNumber: UInt16) {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { $0.arrivals[Int(sequenceNumber) % Self.size] = now }
    }

    func end(_ sequenceNumber: UInt16) {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { state in
            let place = Int(sequenceNumber) % Self.size
            guard state.arrivals[place] != 0 else { return }
            state.packets += 1
            state.nanoseconds += now - min(now, state.arrivals[place])
            state.arrivals[place] = 0
        }
    }
}
