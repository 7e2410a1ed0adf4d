/// Whether the path takes far less than is sent, all of a sudden.
///
/// Packets that wait for each other tell before any average does. A pure value.
struct SuddenFall: Sendable {
    /// A fall is recent for so many s: most of the queue that it made is not known yet.
    private static let time = 1.0
    /// The share of the present rate below which the packets of one frame tell of a fall.
    private static let steep = 0.5
    /// The packets of one frame leave at more than this share of the present rate.
    private static let pace = 0.8
    /// The packets of one frame wait no longer for each other on a path that is not full: so many s, or so many bytes that the path takes first.
    private static let wave = (seconds: 0.04, bytes: 2_500.0)

    /// Whether packets wait since a steep rise: the latest ones, while the shortest wait of the last ones says nothing yet.
    private(set) var hasRisen = false
    /// Whether each of the last bursts waited less than the one before it.
    private(set) var isEmptying = false
    /// When the packets of one frame showed a fall last, and the rate above which it is none, in bit/s; nil once the queue emptied.
    private var last: (at: Double, limit: Double)?

    /// Whether the packets of one frame have just shown a fall, and its queue has not emptied.
    func isRecent(at now: Double) -> Bool { hasRisen && last.map { now - $0.at < Self.time } ?? false }

    /// Takes the steep rises of the queue up to now, in s, except the usual wait of a large frame.
    mutating func takeRises(of delays: inout QueueDelay, bitrate: Double, at now: Double) -> [QueueDelay.Rise] {
        let rises = delays.takeRises().filter { rise in
            guard case .ofFrame(let sent, let taken) = rise else { return true }
            // Packets that were sent slowly are those of several frames, or audio.
            guard sent > bitrate * Self.pace, taken < bitrate * Self.steep else { return false }
            last = (now, bitrate * Self.steep)
            return true
        }
        isEmptying = delays.isFalling(after: last?.at ?? -.infinity)
        if isEmptying { last = nil }
        let wave = max(Self.wave.seconds, Self.wave.bytes * 8 / bitrate)
        hasRisen = !rises.isEmpty || (hasRisen && delays.tail > wave)
        return rises
    }

    /// The packets of one frame are few: those of several frames may show that the path takes more.
    mutating func correct(to bitrate: Double) {
        if let last, bitrate > last.limit { self.last = nil }
    }
}
