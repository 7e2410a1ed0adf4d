/// How often one connection may speak.
struct MessageRate: Sendable, Equatable {
    enum Verdict: Sendable, Equatable {
        case pass
        /// Too fast: the message is dropped; the first time in a second the sender is told so.
        case drop(isTold: Bool)
    }

    private var messages: TokenBucket
    /// Counts what is dropped, too, and frames that are no messages.
    private var flood: TokenBucket
    private var toldMs: Int?

    init(perSecond: Int, burst: Int, uptimeMs: Int) {
        messages = TokenBucket(perSecond: perSecond, capacity: burst, uptimeMs: uptimeMs)
        flood = TokenBucket(perSecond: perSecond * 10, capacity: burst * 10, uptimeMs: uptimeMs)
    }

    /// A whole message came; its last frame was counted before.
    mutating func message(at uptimeMs: Int) -> Verdict {
        if messages.take(at: uptimeMs) { return .pass }
        if let toldMs, uptimeMs - toldMs < 1_000 { return .drop(isTold: false) }
        toldMs = uptimeMs
        return .drop(isTold: true)
    }

    /// A frame of any kind came.
    ///
    /// - Returns: false when there are ten times too many.
    mutating func frame(at uptimeMs: Int) -> Bool { flood.take(at: uptimeMs) }
}
