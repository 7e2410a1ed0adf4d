/// How fast the packets of a large frame leave.
///
/// A lower pace delays usual frames, too: then frames are dropped, and the next are larger. A pure value.
struct PacketPace: Sendable {
    private static let usual = 2.0
    /// A faster frame would not fit into a short queue.
    private static let shortQueue = 1.25
    /// Afterwards less is made for a while, but the peer waits for a key frame, which is large.
    private static let afterSilence = 0.5

    var silence = ReportSilence.Reduction()
    var isCongested = false
    var hasShortQueue = false

    /// As a multiple of what the path takes, or of what may be sent while its queue empties.
    var multiple: Double { isCongested ? 1 : hasShortQueue ? Self.shortQueue : Self.usual }

    /// How much a silence leaves of what the path took before it; 1: there is none.
    var silenceShare: Double { silence.isSilent ? silence.factor : max(silence.factor, Self.afterSilence) }
}
