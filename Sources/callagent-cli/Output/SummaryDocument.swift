internal import CallAgent
internal import Foundation

/// The summary of several calls as the program's JSON has it.
struct SummaryDocument: Encodable {
    struct AcceptToShown: Encodable {
        let caller: Spread?
        let callee: Spread?
    }

    /// The figures of one end of all calls, under the names that they have there.
    struct End: Encodable {
        let timelineMs: SpreadTree?
        let video: SpreadTree?
        let audio: SpreadTree?
        let transport: SpreadTree?

        init(_ documents: [CallDocument]) {
            timelineMs = SpreadTree(documents.map(\.timelineMs))
            video = SpreadTree(documents.compactMap(\.video))
            audio = SpreadTree(documents.compactMap(\.audio))
            transport = SpreadTree(documents.map(\.transport))
        }
    }

    private enum CodingKeys: CodingKey { case calls, connected, firstFrameMs, acceptToShownMs, caller, callee }

    let calls: Int
    let connected: Int
    let firstFrameMs: Spread?
    let acceptToShownMs: AcceptToShown?
    /// Of calls of which one end is known each; its figures stand beside those above.
    private(set) var end: End?
    /// Of calls of which both ends are known.
    private(set) var caller: End?
    private(set) var callee: End?

    /// Of calls of which one end is known each.
    init(ends: [CallDocument]) {
        calls = ends.count
        connected = ends.count(where: \.isConnected)
        firstFrameMs = Spread(ends.compactMap { $0.milliseconds(of: .firstVideoFrame) })
        acceptToShownMs = AcceptToShown(
            caller: Spread(ends.filter { $0.role == .caller }.compactMap(\.acceptToShownMs)),
            callee: Spread(ends.filter { $0.role == .callee }.compactMap(\.acceptToShownMs)))
        end = End(ends)
    }

    /// Of calls of which both ends are known, by one clock; `callee` is nil if the call never reached it.
    init(pairs: [(caller: CallDocument, callee: CallDocument?)]) {
        calls = pairs.count
        connected = pairs.count { $0.caller.isConnected && $0.callee?.isConnected == true }
        firstFrameMs = Spread(pairs.compactMap { Self.firstFrameMs($0.caller, $0.callee) })
        acceptToShownMs = AcceptToShown(
            caller: Spread(pairs.compactMap(\.caller.acceptToShownMs)),
            callee: Spread(pairs.compactMap { $0.callee?.acceptToShownMs }))
        caller = End(pairs.map(\.caller))
        callee = End(pairs.compactMap(\.callee))
    }

    /// The later of both ends' first decoded frame, counted from the caller's `call()`.
    private static func firstFrameMs(_ caller: CallDocument, _ callee: CallDocument?) -> Double? {
        guard let callee, let mine = caller.milliseconds(of: .firstVideoFrame),
            let theirs = callee.milliseconds(of: .firstVideoFrame)
        else { return nil }
        return Swift.max(mine, theirs + callee.startedUnixMs - caller.startedUnixMs)
    }

    func encode(to encoder: any Encoder) throws {
        try end?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(calls, forKey: .calls)
        try container.encode(connected, forKey: .connected)
        try container.encodeIfPresent(firstFrameMs, forKey: .firstFrameMs)
        try container.encodeIfPresent(acceptToShownMs, forKey: .acceptToShownMs)
        try container.encodeIfPresent(caller, forKey: .caller)
        try container.encodeIfPresent(callee, forKey: .callee)
    }
}

extension CallDocument {
    fileprivate var acceptToShownMs: Double? {
        guard let accepted = milliseconds(of: .accepted), let shown = milliseconds(of: .firstVideoShown) else {
            return nil
        }
        return shown - accepted
    }
}

/// All calls of a command, after their end: `--json` prints it and `--expect` checks it.
struct CallsDocument: Encodable {
    let calls: [DetailedCallDocument]
    let summary: SummaryDocument

    init(_ ended: [EndedCall]) {
        calls = ended.map { DetailedCallDocument($0) }
        summary = SummaryDocument(ends: calls.map(\.call))
    }
}
