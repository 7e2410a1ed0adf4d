/// How much later than its presentation time media is shown and played, so that most of it arrives in time.
///
/// Only the wait for a repeated packet or for a slow one makes media late; on a path without both the delay falls to ``minimum``. It covers
/// the second latest of a hundred frames of the last ten seconds, of video or audio, whichever needs more: both have one delay, so that they
/// stay in step. A pure value; times are those of one clock, in ns.
struct PlayoutDelay: Sendable {
    /// In ns, as everything here.
    static let minimum: Int64 = 20_000_000
    /// Until it is known how late media arrives.
    static let initial: Int64 = 80_000_000
    /// No delay is longer, whatever the path does.
    static let maximum: Int64 = 500_000_000
    /// Beyond the latest arrivals, for what still happens to a frame until it is shown.
    fileprivate static let margin: Int64 = 10_000_000
    /// The share of the media that may be late.
    private static let lateShare = 0.02
    /// The delay changes by these parts of the time that passes, slowly enough that nobody sees it.
    private static let (growth, shrinkage) = (0.1, 0.02)

    private var lateness: [MediaKind: RecentLateness] = [
        // Ten seconds with 30 frames and 50 packets a second.
        .video: RecentLateness(count: 300), .audio: RecentLateness(count: 500),
    ]
    /// Until the first report: that of a long path.
    private var roundTrip: Int64 = 80_000_000
    private var last: Int64?
    /// The present delay.
    private(set) var value = Double(initial)

    /// Sets the round trip, in ms.
    ///
    /// It bounds the delay: enough for two requests of a lost packet and a bit more.
    mutating func follow(roundTripMs: Double) {
        // It is computed from the peer's reports, which may hold any number.
        roundTrip = Int64(min(max(roundTripMs, 0), 2_000) * 1_000_000)
    }

    /// Media was ready to be shown or played so long after its presentation time; negative when it was early.
    mutating func note(_ late: Int64, of kind: MediaKind, at now: Int64) {
        lateness[kind]?.add(late)
        defer { last = now }
        guard let last, now > last else { return }
        let passed = Double(min(now - last, 1_000_000_000))
        let difference = Double(target) - value
        value += min(max(difference, -passed * Self.shrinkage), passed * Self.growth)
    }

    /// Where the delay goes.
    var target: Int64 {
        let latest = lateness.values.map { $0.latest(of: Self.lateShare) }.max() ?? 0
        let longest = min(2 * roundTrip + 100_000_000, Self.maximum)
        return min(max(latest + Self.margin, Self.minimum), longest)
    }
}

/// How late the last frames or packets of a stream were, in steps of 5 ms.
private struct RecentLateness: Sendable {
    private static let step: Int64 = 5_000_000
    private static let steps = Int(PlayoutDelay.maximum / step)

    /// The step of each of them; the oldest one is replaced next.
    private var recent: [Int]
    private var next = 0
    private var counts = [Int](repeating: 0, count: steps + 1)

    /// Begins as if `count` had been late by the initial delay.
    init(count: Int) {
        let step = Int((PlayoutDelay.initial - PlayoutDelay.margin) / Self.step) - 1
        recent = Array(repeating: step, count: count)
        counts[step] = count
    }

    mutating func add(_ late: Int64) {
        let step = Int(min(max(late, 0) / Self.step, Int64(Self.steps)))
        counts[recent[next]] -= 1
        counts[step] += 1
        recent[next] = step
        next = (next + 1) % recent.count
    }

    /// Beyond which lateness no more than this share is.
    func latest(of share: Double) -> Int64 {
        var remaining = Int(Double(recent.count) * share)
        for step in counts.indices.reversed() {
            remaining -= counts[step]
            if remaining < 0 { return Int64(step + 1) * Self.step }
        }
        return 0
    }
}
