internal import CallAgent

/// The summary of several calls as the program's JSON has it.
struct SummaryDocument: Encodable {
    /// Median and extremes of some figures, in ms.
    struct Spread: Encodable {
        let median: Double
        let min: Double
        let max: Double
        /// Of the first call of the process, which has nothing warmed for it but what `prepare` did.
        let first: Double

        /// Nil for no figures.
        init?(_ figures: [Double]) {
            let sorted = figures.sorted()
            guard let first = sorted.first, let last = sorted.last else { return nil }
            let middle = sorted.count / 2
            let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
            self.median = median.rounded(toPlaces: 2)
            min = first.rounded(toPlaces: 2)
            max = last.rounded(toPlaces: 2)
            self.first = figures[0].rounded(toPlaces: 2)
        }
    }

    struct AcceptToShown: Encodable {
        let caller: Spread?
        let callee: Spread?
    }

    let calls: Int
    let connected: Int
    let firstFrameMs: Spread?
    let acceptToShownMs: AcceptToShown?

    /// Of calls of which one end is known each.
    init(ends: [CallReport]) {
        calls = ends.count
        connected = ends.count { $0.timeline.instant(of: .connected) != nil }
        firstFrameMs = Spread(ends.compactMap { $0.timeline.milliseconds(of: .firstVideoFrame) })
        acceptToShownMs = AcceptToShown(
            caller: Spread(ends.filter { $0.role == .caller }.compactMap(\.acceptToShownMs)),
            callee: Spread(ends.filter { $0.role == .callee }.compactMap(\.acceptToShownMs)))
    }

    /// Of calls of which both ends are known, by one clock.
    init(pairs: [(caller: CallReport, callee: CallReport)]) {
        calls = pairs.count
        connected = pairs.count { pair in
            [pair.caller, pair.callee].allSatisfy { $0.timeline.instant(of: .connected) != nil }
        }
        firstFrameMs = Spread(pairs.compactMap { Self.firstFrameMs($0.caller, $0.callee) })
        acceptToShownMs = AcceptToShown(
            caller: Spread(pairs.compactMap(\.caller.acceptToShownMs)),
            callee: Spread(pairs.compactMap(\.callee.acceptToShownMs)))
    }

    /// The later of both ends' first decoded picture, counted from the caller's `call()`.
    static func firstFrameMs(_ caller: CallReport, _ callee: CallReport) -> Double? {
        guard let mine = caller.timeline.instant(of: .firstVideoFrame),
            let theirs = callee.timeline.instant(of: .firstVideoFrame)
        else { return nil }
        return (Swift.max(mine, theirs) - caller.timeline.start).inMilliseconds
    }
}

extension CallReport {
    fileprivate var acceptToShownMs: Double? {
        guard let accepted = timeline.milliseconds(of: .accepted),
            let shown = timeline.milliseconds(of: .firstVideoShown)
        else { return nil }
        return shown - accepted
    }
}
