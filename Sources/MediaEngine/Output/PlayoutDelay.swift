/// How much later than its presentation time media is shown and played, so that most of it arrives in time.
///
/// Only the wait for a repeated packet or for a slow one makes media late; on a path without both the delay falls to ``minimum``. It covers
/// all but two of a hundred frames of the last ten seconds, of video or audio, whichever needs more: both have one delay, so that they
/// stay in step. A pure value; times are those of one clock, in ns.
struct PlayoutDelay: Sendable {
    /// In ns, as everything here.
    static let minimum: Int64 = 20_000_000
    /// The least before ten seconds are known.
    static let initial: Int64 = 80_000_000
    /// No delay is longer, whatever the path does.
    static let maximum: Int64 = 500_000_000
    /// What is older says nothing about the path.
    fileprivate static let memory: Int64 = 10_000_000_000
    /// Beyond the latest arrivals, for what still happens to a frame until it is shown.
    private static let margin: Int64 = 10_000_000
    /// The share of the media that may be late.
    private static let lateShare = 0.02
    /// The delay changes by these parts of the time that passes, slowly enough that nobody sees it.
    private static let (growth, shrinkage) = (0.1, 0.02)

    private var video = RecentLateness()
    private var audio = RecentLateness()
    /// Until the first report: that of a long path.
    private var roundTrip: Int64 = 80_000_000
    private var first: Int64?
    private var last: Int64?
    /// The present delay.
    private(set) var value = Double(initial)

    var roundTripMs: Double { Double(roundTrip) / 1e6 }

    /// Sets the round trip, in ms.
    ///
    /// It bounds the delay: enough for two requests of a lost packet and a bit more.
    mutating func follow(roundTripMs: Double) {
        // It is computed from the peer's reports, which may hold any number.
        roundTrip = Int64(min(max(roundTripMs, 0), 2_000) * 1_000_000)
    }

    /// Media was ready to be shown or played so long after its presentation time; negative when it was early.
    mutating func note(_ late: Int64, of kind: MediaKind, at now: Int64) {
        switch kind {
        case .video: video.add(late, at: now)
        case .audio: audio.add(late, at: now)
        }
        // The other kind may have stopped.
        video.forget(before: now - Self.memory)
        audio.forget(before: now - Self.memory)
        let begin = first ?? now
        first = begin
        defer { last = now }
        guard let last, now > last else { return }
        let passed = Double(min(now - last, 1_000_000_000))
        let difference = Double(target(at: now, since: begin)) - value
        value += min(max(difference, -passed * Self.shrinkage), passed * Self.growth)
    }

    /// Where the delay goes.
    private func target(at now: Int64, since begin: Int64) -> Int64 {
        let latest = max(video.latest(of: Self.lateShare), audio.latest(of: Self.lateShare))
        let longest = min(2 * roundTrip + 100_000_000, Self.maximum)
        let shortest = now - begin < Self.memory ? Self.initial : Self.minimum
        return min(max(latest + Self.margin, shortest), longest)
    }
}

/// How late the latest frames or packets of a stream were, in steps of 5 ms.
private struct RecentLateness: Sendable {
    private struct Arrival {
        let time: Int64
        let step: Int
    }
    private static let step: Int64 = 5_000_000
    private static let steps = Int(PlayoutDelay.maximum / step)
    /// Ten seconds of packets of 20 ms.
    private static let most = 512

    /// The oldest first; those in front of `begin` are forgotten.
    private var arrivals: [Arrival] = []
    private var begin = 0
    private var counts = [Int](repeating: 0, count: steps + 1)
    /// No arrival has a higher step.
    private var highest = 0

    private var count: Int { arrivals.count - begin }

    mutating func add(_ late: Int64, at now: Int64) {
        let step = Int(min(max(late, 0) / Self.step, Int64(Self.steps)))
        if count == Self.most { forgetOldest() }
        arrivals.append(Arrival(time: now, step: step))
        counts[step] += 1
        highest = max(highest, step)
    }

    mutating func forget(before time: Int64) {
        while begin < arrivals.count, arrivals[begin].time < time { forgetOldest() }
    }

    private mutating func forgetOldest() {
        counts[arrivals[begin].step] -= 1
        while highest > 0, counts[highest] == 0 { highest -= 1 }
        begin += 1
        guard begin == Self.most else { return }
        arrivals.removeFirst(begin)
        begin = 0
    }

    /// Beyond which lateness no more than this share is.
    func latest(of share: Double) -> Int64 {
        var remaining = Int(Double(count) * share)
        var step = highest
        while step >= 0 {
            remaining -= counts[step]
            if remaining < 0 { return Int64(step + 1) * Self.step }
            step -= 1
        }
        return 0
    }
}
