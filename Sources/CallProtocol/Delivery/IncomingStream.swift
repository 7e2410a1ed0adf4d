/// The messages that one device sends this one about one call, put into order.
struct IncomingStream: Sendable {
    private var next = 1
    private var held: [Int: SignalingMessage] = [:]
    /// Delivered before their turn.
    private var early: Set<Int> = []
    /// When something was last heard.
    private(set) var lastHeard = 0

    /// How far ahead of a missing message others may come.
    static let window = 128

    /// How many messages wait for one that is missing.
    var heldCount: Int { held.count }

    /// Takes a message.
    ///
    /// - Parameter mayHold: whether there is room for one that has to wait.
    /// - Returns: What can be delivered now, nothing for a duplicate; nil when the message is too far ahead to be kept.
    mutating func take(
        _ message: SignalingMessage, sequence: Int, mayHold: Bool, at now: Int
    ) -> [SignalingMessage]? {
        lastHeard = now
        guard sequence >= next, held[sequence] == nil, !early.contains(sequence) else { return [] }
        guard sequence < next + Self.window else { return nil }
        // What ends a call does not wait for a candidate that was lost.
        if message.body.overtakes, sequence > next {
            early.insert(sequence)
            return [message]
        }
        guard mayHold || sequence == next else { return nil }
        held[sequence] = message
        return drain()
    }

    /// Lets a number go by that carries nothing.
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
            } else if early.remove(next) == nil {
                break
            }
            next += 1
        }
        return delivered
    }
}
