/// Decides when a peer is silent: for so long that its media counts as interrupted, or that another path should be looked for.
///
/// A pure value; its user looks again after the pause that each look returns.
struct PeerSilence: Sendable {
    private let limit: Duration
    private let pathLimit: Duration
    private var isInterrupted = false
    /// How often the path was reported as silent since the last packet.
    private var searches = 0
    private var lastHeard: ClockReading?
    /// When the path changed last, or was reported as silent.
    private var pathBegan: ClockReading?
    /// When the next look should be.
    private var due: ClockReading?

    init(_ tuning: TransportTuning) {
        limit = .milliseconds(tuning.silenceMs)
        pathLimit = .milliseconds(tuning.pathSilenceMs)
    }

    mutating func changePath(at now: ClockReading) { pathBegan = now }

    /// Returns what to report now, and after which pause to look again.
    ///
    /// The next look comes when a limit can have passed, since each look wakes a thread. The limits may become shorter meanwhile.
    mutating func look(at now: ClockReading, _ rhythm: PeerRhythm) -> ([PeerConnectionEvent.Kind], pause: Duration) {
        // A machine that stood still has not read what arrived.
        let isLate = due.map { now - $0 > Self.standstill } ?? false
        let (reports, wait) = isLate ? ([], .zero) : judge(now, rhythm)
        let pause = max(shortest / 10, wait)
        due = now + pause
        return (reports, pause)
    }

    private mutating func judge(
        _ now: ClockReading, _ rhythm: PeerRhythm
    ) -> ([PeerConnectionEvent.Kind], wait: Duration) {
        guard let end = rhythm.endOfPatience(limit), let last = rhythm.last else { return ([], .zero) }
        var reports: [PeerConnectionEvent.Kind] = []
        let isSilent = end < now
        if isSilent != isInterrupted { reports.append(isSilent ? .interrupted : .resumed) }
        isInterrupted = isSilent
        if lastHeard != last { (lastHeard, searches) = (last, 0) }
        let pathEnd = max(last, pathBegan ?? last) + Self.patience(rhythm.pathPatience(pathLimit), searches)
        if pathEnd < now {
            reports.append(.pathSilent)
            searches += 1
            // The next one, unless something arrives.
            pathBegan = now
        }
        return (reports, wait: min(isSilent ? shortest : end - now, pathEnd - now, shortest))
    }

    /// Limits of 0 must not keep the thread busy.
    private var shortest: Duration { max(min(limit, pathLimit), .milliseconds(100)) }

    /// How long a path may be silent after so many reports of silence.
    ///
    /// From the third on it is twice as long each time, up to 3 s: a server that has nothing to send does not need another path several times a second.
    static func patience(_ patience: Duration, _ searches: Int) -> Duration {
        max(patience, min(patience * (1 << min(max(searches - 1, 0), 5)), .seconds(3)))
    }

    /// How late a look may be.
    private static let standstill = Duration.milliseconds(100)
}
