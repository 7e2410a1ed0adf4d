/// Decides when a peer is silent: for so long that its media counts as interrupted, that the path should be checked, or that another one should be
/// looked for.
///
/// A pure value; its user looks again after the pause that each look returns.
struct PeerSilence: Sendable {
    /// What to do now, and after which pause to look again.
    struct Look: Sendable {
        var reports: [PeerConnectionEvent.Kind] = []
        var checksPath = false
        var pause = Duration.zero
    }

    private let limit: Duration
    private let pathLimit: Duration
    private var isInterrupted = false
    /// How often the path was reported as silent since the last packet.
    private var searches = 0
    private var lastHeard: ClockReading?
    /// When the path changed last, or was reported as silent.
    private var pathBegan: ClockReading?
    /// When the path was checked last.
    private var lastCheck: ClockReading?
    /// When the next look should be.
    private var due: ClockReading?

    init(_ tuning: TransportTuning) {
        limit = .milliseconds(tuning.silenceMs)
        pathLimit = .milliseconds(tuning.pathSilenceMs)
    }

    mutating func changePath(at now: ClockReading) { pathBegan = now }

    /// Returns what to do now.
    ///
    /// The next look comes when a limit can have passed, since each look wakes a thread. The limits may become shorter meanwhile.
    mutating func look(at now: ClockReading, _ rhythm: PeerRhythm) -> Look {
        // A machine that stood still has not read what arrived.
        let isLate = due.map { now - $0 > Self.standstill } ?? false
        var look = isLate ? Look() : judge(now, rhythm)
        look.pause = max(shortest / 20, look.pause)
        due = now + look.pause
        return look
    }

    /// Ends a silence when a packet arrives; returns what to report.
    mutating func end(at now: ClockReading, _ rhythm: PeerRhythm) -> [PeerConnectionEvent.Kind] {
        guard isInterrupted, let end = rhythm.endOfPatience(limit), end >= now else { return [] }
        isInterrupted = false
        return [.resumed]
    }

    private mutating func judge(_ now: ClockReading, _ rhythm: PeerRhythm) -> Look {
        guard let end = rhythm.endOfPatience(limit), let last = rhythm.last else { return Look() }
        var look = Look()
        let isSilent = end < now
        if isSilent != isInterrupted { look.reports.append(isSilent ? .interrupted : .resumed) }
        isInterrupted = isSilent
        if lastHeard != last { (lastHeard, searches, lastCheck) = (last, 0, nil) }
        let patience = rhythm.pathPatience(pathLimit)
        let pathEnd = max(last, pathBegan ?? last) + Self.patience(patience, searches)
        if pathEnd < now {
            look.reports.append(rhythm.missesMedia(pathLimit, at: now) ? .mediaMissing : .pathSilent)
            searches += 1
            // The next one, unless something arrives.
            pathBegan = now
        }
        let check = checkDue(after: last, patience)
        if check <= now {
            if lastCheck == nil { look.reports.append(.pathChecked) }
            (look.checksPath, lastCheck) = (true, now)
        }
        look.pause = min(
            isSilent ? shortest : end - now, pathEnd - now, checkDue(after: last, patience) - now, shortest)
        return look
    }

    /// When the path is to be checked: long before another one is looked for, and then ever more slowly.
    private func checkDue(after last: ClockReading, _ patience: Duration) -> ClockReading {
        // A limit of 0 must not have each look send a check.
        let patience = max(patience, PeerRhythm.shortestPathPatience)
        guard let lastCheck else { return last + patience * 2 / 5 }
        return lastCheck + max(patience / 5, (lastCheck - last) / 4)
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
