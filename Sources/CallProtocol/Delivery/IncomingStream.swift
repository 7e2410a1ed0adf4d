/// Sorts the messages that one device sends this one about one call.
struct IncomingStream: Sendable {
    /// The ``SignalingMessage/epoch`` of these messages.
    let epoch: Int
    private var next = 1
    private var held: [Int: SignalingMessage] = [:]
    /// The numbers of messages that were delivered before their turn.
    private var early: Set<Int> = []
    /// When the last message arrived.
    private(set) var lastHeard = 0
    /// Whether a `state` was delivered.
    private(set) var hasState = false

    /// How far ahead of a missing message others may be.
    static let window = 128

    init(epoch: Int) { self.epoch = epoch }

    /// How many messages wait for a missing one.
    var heldCount: Int { held.count }

    /// Takes a message.
    ///
    /// - Parameter mayHold: whether there is room for a message that has to wait.
    /// - Returns: What can be delivered now, which is nothing for a duplicate; nil when the message is too far ahead to be kept.
    mutating func take(
        _ message: SignalingMessage, sequence: Int, mayHold: Bool, at now: Int
    ) -> [SignalingMessage]? {
        lastHeard = now
        guard sequence >= next, held[sequence] == nil, !early.contains(sequence) else { return [] }
        guard sequence < next + Self.window else { return nil }
        // A message that ends a call does not wait for a lost candidate.
        if message.body.overtakes, sequence > next {
            early.insert(sequence)
            return [message]
        }
        guard mayHold || sequence == next else { return nil }
        held[sequence] = message
        return drain()
    }

    /// Skips a number without a message.
    ///
    /// - Returns: What can be delivered now; nil when the number is too far ahead.
    mutating func skip(_ sequence: Int, at now: Int) -> [SignalingMessage]? {
        lastHeard = now
        guard sequence >= next, held[sequence] == nil, !early.contains(sequence) else { return [] }
        guard sequence < next + Self.window else { return nil }
        early.insert(sequence)
        return drain()
    }

    private mutating func drain() -> [SignalingMessage] {
        var delivered: [SignalingMessage] = []
        while true {
            if let message = held.removeValue(forKey: next) {
                delivered.append(message)
                if case .state = message.body { hasState = true }
            } else if early.remove(next) == nil {
                break
            }
            next += 1
        }
        return delivered
    }
}
