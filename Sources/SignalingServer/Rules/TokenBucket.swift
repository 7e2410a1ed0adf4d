/// A bucket that fills with time and gives one token for each thing that happens.
struct TokenBucket: Sendable, Equatable {
    private let perSecond: Int
    private let capacity: Int
    /// Thousandths of a token, so that a millisecond is worth a whole number of them.
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
        // An hour fills any bucket; the bound keeps the product small.
        let elapsed = min(max(uptimeMs - filledMs, 0), 3_600_000)
        level = min(level + elapsed * perSecond, capacity)
        filledMs = max(filledMs, uptimeMs)
        guard level >= 1_000 else { return false }
        level -= 1_000
        return true
    }
}
