/// How long packets wait in a queue on the path: their delay now, less the shortest of the last 10 s.
///
/// A queue that is full and stays full has no trend. The two clocks need not agree, and may drift. A pure value.
struct QueueDelay: Sendable {
    private struct Slot {
        let begin: Double
        var shortest: Double
    }
    /// Jitter is no queue: the shortest delay in so many s counts.
    private static let slot = 0.2
    private static let memory = 10.0
    private var slots: [Slot] = []

    /// In s; 0 before there is something to compare with.
    var seconds: Double {
        guard slots.count > 1, let shortest = slots.map(\.shortest).min() else { return 0 }
        // The latest slot may have begun with a late packet.
        return min(slots[slots.count - 1].shortest, slots[slots.count - 2].shortest) - shortest
    }

    /// Notes a packet by the times when it was sent and received, in s.
    mutating func note(sent: Double, received: Double) {
        let delay = received - sent
        if let last = slots.last, sent - last.begin < Self.slot {
            slots[slots.count - 1].shortest = min(last.shortest, delay)
        } else {
            slots.append(Slot(begin: sent, shortest: delay))
            slots.removeAll { sent - $0.begin > Self.memory }
        }
    }
}
