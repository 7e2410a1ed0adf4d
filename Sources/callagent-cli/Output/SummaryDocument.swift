internal import CallAgent
internal import Foundation

/// The summary of several calls as the program's JSON has it.
struct SummaryDocument: Encodable {
    struct AcceptToShown: Encodable {
        let caller: Spread?
        let callee: Spread?
    }

    let calls: Int
    let connected: Int
    let firstFrameMs: Spread?
    let acceptToShownMs: AcceptToShown?
    /// The figures of each call under the names that they have there; of the demo's calls only those of one end each.
    var caller: SpreadTree?
    var callee: SpreadTree?
    var video: SpreadTree?
    var audio: SpreadTree?
    var transport: SpreadTree?

    /// Of calls of which one end is known each.
    init(ends: [CallReport], _ documents: [CallDocument]) {
        calls = ends.count
        connected = ends.count { $0.timeline.instant(of: .connected) != nil }
        firstFrameMs = Spread(ends.compactMap { $0.timeline.milliseconds(of: .firstVideoFrame) })
        acceptToShownMs = AcceptToShown(
            caller: Spread(ends.filter { $0.role == .caller }.compactMap(\.acceptToShownMs)),
            callee: Spread(ends.filter { $0.role == .callee }.compactMap(\.acceptToShownMs)))
        video = SpreadTree(documents.compactMap(\.video))
        audio = SpreadTree(documents.compactMap(\.audio))
        transport = SpreadTree(documents.map(\.transport))
    }

    /// Of calls of which both ends are known, by one clock.
    init(pairs: [(caller: CallReport, callee: CallReport)], callers: [CallDocument], callees: [CallDocument]) {
        calls = pairs.count
        connected = pairs.count { pair in
            [pair.caller, pair.callee].allSatisfy { $0.timeline.instant(of: .connected) != nil }
        }
        firstFrameMs = Spread(pairs.compactMap { Self.firstFrameMs($0.caller, $0.callee) })
        acceptToShownMs = AcceptToShown(
            caller: Spread(pairs.compactMap(\.caller.acceptToShownMs)),
            callee: Spread(pairs.compactMap(\.callee.acceptToShownMs)))
        caller = Self.figures(callers)
        callee = Self.figures(callees)
    }

    private static func figures(_ documents: [CallDocument]) -> SpreadTree? {
        struct Figures: Encodable {
            let video: TrackDocument?
            let audio: TrackDocument?
            let transport: CallDocument.Transport
        }
        return SpreadTree(documents.map { Figures(video: $0.video, audio: $0.audio, transport: $0.transport) })
    }

    /// The later of both ends' first decoded frame, counted from the caller's `call()`.
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

/// All calls of a command, after their end: `--json` prints it and `--expect` checks it.
struct CallsDocument: Encodable {
    let calls: [CallDocument]
    let summary: SummaryDocument

    init(_ reports: [CallReport]) {
        calls = reports.map { CallDocument($0) }
        summary = SummaryDocument(ends: reports, calls)
    }
}
