internal import Dispatch
internal import Synchronization

/// A network with chosen conditions, which all packets of the connections pass that send through it: one access line of one end.
///
/// It is for tests: it needs no privileges, and treats each end of a process by itself. It delays, loses and limits what this end sends once ICE has found a path: DTLS,
/// media, RTCP and data channels. ICE's own checks, TURN and signaling are not affected. For both directions, both ends need one.
///
///     let network = NetworkEmulator(NetworkSchedule(named: "lte")!)
///     configuration.media.network = network
///     …
///     network.conditions.lossPercent = 10
public final class NetworkEmulator: Sendable {
    private struct State {
        var link: EmulatedLink
        /// What is under way, in order of arrival.
        var packets: [Packet] = []
        /// Whether some that have arrived are being delivered.
        var isDelivering = false
        var random = SystemRandomNumberGenerator()
    }

    private struct Packet {
        let arrival: Duration
        let deliver: @Sendable (_ isLost: Bool) -> Void
    }

    private let state: Mutex<State>
    private let start = ContinuousClock.now
    private let queue = DispatchQueue(label: "network emulator", qos: .userInteractive)
    /// What may be under way, so that a sender without bounds cannot fill the memory; the rest is lost.
    private static let capacity = 20_000

    /// Emulates a network with these conditions.
    public convenience init(_ conditions: NetworkConditions = NetworkConditions()) {
        self.init(NetworkSchedule(conditions))
    }

    /// Emulates a network whose conditions change, from the first packet on.
    public init(_ schedule: NetworkSchedule) { state = Mutex(State(link: EmulatedLink(schedule))) }

    /// The conditions at present; may be set at any time, from any thread, and stay then.
    ///
    /// A value that cannot be used (``NetworkConditions/complaint``) counts as the nearest one that can.
    public var conditions: NetworkConditions {
        get { state.withLock { $0.link.conditions } }
        set { follow(NetworkSchedule(newValue)) }
    }

    /// Has other conditions from now on, and changes them as planned from the next packet on.
    public func follow(_ schedule: NetworkSchedule) {
        state.withLock { $0.link.follow(schedule) }
    }

    /// Calls `deliver` when a packet arrives, or at once with true if it is lost.
    func pass(_ bytes: Int, _ deliver: @escaping @Sendable (_ isLost: Bool) -> Void) {
        let now = ContinuousClock.now - start
        enum Fate { case lost, atOnce, later(Duration) }
        let fate = state.withLock { state -> Fate in
            guard state.packets.count < Self.capacity,
                let arrival = state.link.arrival(of: bytes, sentAt: now, using: &state.random)
            else { return .lost }
            guard arrival > now || !state.packets.isEmpty || state.isDelivering else { return .atOnce }
            let place = (state.packets.lastIndex { $0.arrival <= arrival } ?? -1) + 1
            state.packets.insert(Packet(arrival: arrival, deliver: deliver), at: place)
            return .later(arrival - now)
        }
        switch fate {
        case .lost: deliver(true)
        case .atOnce: deliver(false)
        case .later(let wait):
            queue.asyncAfter(deadline: .now() + wait / .seconds(1)) { self.deliverDue(after: now + wait) }
        }
    }

    /// Runs on the queue alone, so packets keep their order.
    ///
    /// `time` has passed on the clock of the queue, which may differ a little.
    private func deliverDue(after time: Duration) {
        let now = max(ContinuousClock.now - start, time)
        let due = state.withLock { state in
            let count = state.packets.firstIndex { $0.arrival > now } ?? state.packets.count
            defer {
                state.packets.removeFirst(count)
                state.isDelivering = count > 0
            }
            return Array(state.packets[..<count])
        }
        for packet in due { packet.deliver(false) }
        state.withLock { $0.isDelivering = false }
    }
}
