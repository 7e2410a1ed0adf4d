/// How fast the packets of a large frame leave; rates are in bit/s.
///
/// A lower pace delays usual frames, too: then frames are dropped, and the next are larger. A pure value.
struct PacketPace: Sendable {
    /// As a multiple of what the path takes.
    private static let usual = 2.0
    /// The same when its queue is short: a faster frame would not fit.
    private static let shortQueue = 1.25
    /// A share of what the path took before a silence.
    ///
    /// Afterwards less is made for a while, but the peer waits for a key frame, which is large.
    private static let afterSilence = 0.5

    /// What the path takes, by the reports; nil before there are any.
    var estimate: Double?
    /// What the peer says that it takes; nil: nothing.
    var receiverLimit: Double?
    /// The estimate before the latest silence, and the share of it that is sent; 1 without a silence.
    var unsilenced = 0.0
    var silenceFactor = 1.0
    /// Whether reports stay away now.
    var isSilent = false
    var isCongested = false
    var hasShortQueue = false

    var bitrate: Double {
        let limit = receiverLimit ?? .infinity
        let share = silenceFactor < 1 ? max(silenceFactor, isSilent ? 0 : Self.afterSilence) : .infinity
        let silenced = share < .infinity ? unsilenced * share : .infinity
        let pace = isCongested ? 1 : hasShortQueue ? Self.shortQueue : Self.usual
        return min(estimate ?? .infinity, silenced, limit) * pace
    }
}
