internal import Foundation

/// How much less should be sent because the peer's reports stay away.
///
/// On a path that suddenly gets narrow in both directions the reports wait and get lost, too. What is sent meanwhile fills the queue, so half of it is
/// sent after a while, a quarter a little later, and everything again with the next report of a packet that did not wait. libwebrtc limits what is under
/// way for the same reason. A pure value; times are in s.
struct ReportSilence: Sendable {
    /// Silence begins after so many of the usual intervals, and not before this time.
    private static let intervals = 3.0
    private static let shortest = 0.2
    /// Each of these times halves what is sent.
    private static let step = 0.2
    private static let lowest = 0.1
    /// The weight of the latest interval in the usual one.
    private static let weight = 0.1

    /// Reports of packets that waited end a silence after this time.
    private static let longest = 1.0

    private var last: Double?
    private var interval = 0.05
    /// The silence that ended with the report of a packet that had waited.
    private var former: (factor: Double, end: Double)?

    /// Notes that a report arrived; `isDelayed` when the latest packet in it waited long.
    mutating func note(at now: Double, isDelayed: Bool) {
        let factor = factor(at: now)
        if factor == 1, let last { interval += Self.weight * (now - last - interval) }
        last = now
        former = isDelayed && factor < 1 ? (factor, former?.end ?? now + Self.longest) : nil
    }

    /// The share of what the path takes that should be sent now; 1 while reports arrive, and before the first one.
    func factor(at now: Double) -> Double {
        guard let last else { return 1 }
        let kept = former.map { now < $0.end ? $0.factor : 1 } ?? 1
        let silence = now - last - max(Self.shortest, Self.intervals * interval)
        return silence < 0 ? kept : max(kept * pow(0.5, 1 + (silence / Self.step).rounded(.down)), Self.lowest)
    }
}
