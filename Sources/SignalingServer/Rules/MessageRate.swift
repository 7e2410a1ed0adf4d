/// Limits how many messages and frames one connection may send.
struct MessageRate: Sendable, Equatable {
    enum Verdict: Sendable, Equatable {
        case pass
        /// Too fast: the message is dropped; `isReported`: the sender gets an error, once a second.
        case drop(isReported: Bool)
    }

    private var messages: TokenBucket
    /// Also counts dropped messages, and frames that are no messages.
    private var flood: TokenBucket
    private var reportedMs: Int?

    init(perSecond: Int, burst: Int, uptimeMs: Int) {
        messages = TokenBucket(perSecond: perSecond, capacity: burst, uptimeMs: uptimeMs)
        flood = TokenBucket(perSecond: perSecond * 10, capacity: burst * 10, uptimeMs: uptimeMs)
    }

    /// A whole message arrived; its last frame was counted before.
    mutating func message(at uptimeMs: Int) -> Verdict {
        if messages.take(at: uptimeMs) { return .pass }
        if let reportedMs, uptimeMs - reportedMs < 1_000 { return .drop(isReported: false) }
        reportedMs = uptimeMs
        return .drop(isReported: true)
    }

    /// A frame of any kind arrived.
    ///
    /// - Returns: false if there are more than ten times as many frames as allowed messages.
    mutating func frame(at uptimeMs: Int) -> Bool { flood.take(at: uptimeMs) }
}

/// A token bucket: it fills with time, and each event takes one token.
struct TokenBucket: Sendable, Equatable {
    private let perSecond: Int
    private let capacity: Int
    /// In thousandths of a token, so that each millisecond adds a whole number of them.
    private var level: Int
    private var filledMs: Int

    /// Makes a full bucket.
    init(perSecond: Int, capacity: Int, uptimeMs: Int) {
        self.perSecond = perSecond
        self.capacity = capacity * 1_000
        level = capacity * 1_000
        filledMs = uptimeMs
    }

    /// Takes a token; false when there is none.
    mutating func take(at uptimeMs: Int) -> Bool {
        // An hour fills any bucket; the limit keeps the product small.
        let elapsed = min(max(uptimeMs - filledMs, 0), 3_600_000)
        level = min(level + elapsed * perSecond, capacity)
        filledMs = max(filledMs, uptimeMs)
        guard level >= 1_000 else { return false }
        level -= 1_000
        return true
    }
}
