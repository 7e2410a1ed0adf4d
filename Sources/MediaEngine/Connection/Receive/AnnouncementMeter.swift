/// Counts what a peer sends although it announced another mode, such as frames of muted video that are not black, and black frames of live video.
///
/// The announcement and the media take different paths. So what arrives within the tolerance after an announcement does not count, nor
/// what arrives within the tolerance before the next one was made: that media may have overtaken its announcement. A value without a clock.
struct AnnouncementMeter: Sendable {
    /// What counts, by the mode that was announced: the packets of ``SendMode/off`` and ``SendMode/closed``, the frames or the ms of audio of
    /// ``SendMode/blank`` and ``SendMode/live``.
    private var counted: [SendMode: Double] = [:]
    private var mode = SendMode.live
    /// Nil before the first announcement.
    private var since: ContinuousClock.Instant?
    /// Until when all that arrived had to be live, before the last announcement of something else; nil before that.
    private var liveEnd: ContinuousClock.Instant?
    /// What arrived lately against ``mode``: it counts once the next announcement is known not to excuse it.
    private var recent: [(at: ContinuousClock.Instant, amount: Double)] = []

    /// What arrives so soon after the first of an entry is added to it.
    private static let entryDuration = Duration.milliseconds(100)
    /// What is older than so many entries counts whatever is announced later: a peer that always breaks its word fills no memory.
    static let maximumEntries = 1_024

    /// The peer announced at `announced` what it sends from then on; this end knows it at `now`.
    ///
    /// Repeating the same mode changes nothing.
    mutating func expect(
        _ next: SendMode, announcedAt announced: ContinuousClock.Instant, now: ContinuousClock.Instant,
        tolerance: Duration
    ) {
        guard next != mode else { return }
        count(before: announced - tolerance)
        if mode == .live { liveEnd = now - tolerance }
        (mode, since, recent) = (next, now, [])
    }

    /// Whether the announced mode is live, for longer than the tolerance.
    func expectsLive(at now: ContinuousClock.Instant, tolerance: Duration) -> Bool {
        mode == .live && since.map { now - $0 >= tolerance } ?? true
    }

    /// For how much of the time of this length until `now` all that arrived had to be live.
    func liveTime(within length: Duration, at now: ContinuousClock.Instant, tolerance: Duration) -> Duration {
        let begin = now - length
        let present = mode == .live ? now - max(begin, since.map { $0 + tolerance } ?? begin) : .zero
        let former = liveEnd.map { $0 - begin } ?? .zero
        return min(length, max(.zero, present) + max(.zero, former))
    }

    /// Something arrived that contradicts the announced mode.
    mutating func note(_ amount: Double, at now: ContinuousClock.Instant, tolerance: Duration) {
        if let since, now - since < tolerance { return }
        if let last = recent.last, now - last.at < Self.entryDuration {
            recent[recent.count - 1].amount += amount
            return
        }
        recent.append((now, amount))
        if recent.count > Self.maximumEntries { counted[mode, default: 0] += recent.removeFirst().amount }
    }

    /// What counts of one mode at `now`.
    func total(of mode: SendMode, at now: ContinuousClock.Instant, tolerance: Duration) -> Double {
        var meter = self
        if mode == self.mode { meter.count(before: now - tolerance) }
        return meter.counted[mode] ?? 0
    }

    private mutating func count(before end: ContinuousClock.Instant) {
        let certain = recent.prefix { $0.at + Self.entryDuration <= end }
        guard !certain.isEmpty else { return }
        counted[mode, default: 0] += certain.reduce(0) { $0 + $1.amount }
        recent.removeFirst(certain.count)
    }
}
