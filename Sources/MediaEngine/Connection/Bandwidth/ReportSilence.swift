internal import Foundation

/// How much less should be sent because the peer's reports stay away.
///
/// On a path that suddenly gets narrow in both directions the reports wait and get lost, too. What is sent meanwhile fills the queue, so half of it is
/// sent after a while, a quarter a little later, and twice as much again every 300 ms once a report shows a packet that did not wait. libwebrtc limits what
/// is under way for the same reason. A pure value; times are in s.
struct ReportSilence: Sendable {
    /// Silence begins when something that was sent is not reported for so many of the usual intervals, and not before this time.
    private static let intervals = 3.0
    private static let shortest = 0.2
    /// No peer reports more rarely while something arrives.
    private static let longestInterval = 0.25
    /// A peer that is silent for longer no longer reports.
    private static let patience = 10.0
    private static let idle = 1.0
    /// How often the share is looked at while it is below 1.
    private static let lookInterval = 0.1
    /// Each of these times halves what is sent.
    private static let step = 0.2
    private static let lowest = 0.02
    /// The weight of the latest interval in the usual one.
    private static let weight = 0.1

    /// Reports of packets that waited keep a silence up for so long.
    private static let longest = 1.0
    /// After a silence the share doubles in this time.
    private static let recovery = 0.3

    /// How much less is sent because of a silence.
    struct Reduction: Sendable, Equatable {
        /// The share of what the path takes that should be sent now; 1 while reports arrive, and before the first one.
        var factor = 1.0
        /// Whether no reports arrive.
        var isSilent = false
    }

    /// What a silence left.
    private struct Former {
        let factor: Double
        /// When the share begins to grow.
        let begin: Double
        let latestBegin: Double
    }

    private var last: Double?
    /// Since when something that was sent is not reported.
    private var waiting: Double?
    private var lastFrame: Double?
    private var interval = 0.05
    private var former: Former?
    /// When the share was looked at last, and whether it was below 1 then.
    private var (looked, wasReduced) = (0.0, false)

    /// Notes that a report arrived; `isDelayed` when the latest packet in it waited long.
    mutating func note(at now: Double, isDelayed: Bool) {
        let factor = factor(at: now)
        if factor == 1, let last { interval += Self.weight * (min(now - last, Self.longestInterval) - interval) }
        (last, waiting) = (now, nil)
        let latestBegin = former?.latestBegin ?? now + Self.longest
        former =
            factor == 1
            ? nil : Former(factor: factor, begin: isDelayed ? max(latestBegin, now) : now, latestBegin: latestBegin)
    }

    /// Begins anew on another path, with the same peer.
    mutating func changePath() {
        let interval = interval
        self = ReportSilence()
        self.interval = interval
    }

    /// Notes that a frame is sent, or one of its packets.
    ///
    /// - Returns: Whether the share has to be looked at: every 100 ms while it is below 1, and once more after that.
    @discardableResult
    mutating func noteFrame(at now: Double) -> Bool {
        // An end that sends nothing any more gets no reports, and the first one may take any time.
        if !isSending(at: now) { (last, waiting) = (nil, nil) }
        lastFrame = now
        if last != nil { waiting = waiting ?? now }
        let isReduced = factor(at: now) < 1
        guard isReduced || wasReduced, now - looked >= Self.lookInterval else { return false }
        (wasReduced, looked) = (isReduced, now)
        return true
    }

    private func isSending(at now: Double) -> Bool { lastFrame.map { now - $0 < Self.idle } ?? false }

    func reduction(at now: Double) -> Reduction {
        Reduction(factor: factor(at: now), isSilent: seconds(at: now) != nil)
    }

    /// How long a silence has lasted, in s; nil while there is none.
    private func seconds(at now: Double) -> Double? {
        guard isSending(at: now) else { return nil }
        let silence = waiting.map { now - $0 - max(Self.shortest, Self.intervals * interval) }
        return silence.flatMap { 0..<Self.patience ~= $0 ? $0 : nil }
    }

    private func factor(at now: Double) -> Double {
        let kept = former.map { min(1, $0.factor * pow(2, max(now - $0.begin, 0) / Self.recovery)) } ?? 1
        guard let silence = seconds(at: now) else { return kept }
        return max(kept * pow(0.5, 1 + (silence / Self.step).rounded(.down)), Self.lowest)
    }
}
