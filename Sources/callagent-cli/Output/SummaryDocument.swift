internal import CallAgent
internal import Foundation

/// The summary of several calls as the program's JSON has it.
struct SummaryDocument {
    /// The figures of one end of all calls, under the names that they have there.
    struct End {
        private(set) var timelineMs = SpreadTree()
        private(set) var video = SpreadTree()
        private(set) var audio = SpreadTree()
        private(set) var transport = SpreadTree()

        fileprivate mutating func add(_ call: CallDocument) {
            timelineMs.add(call.timelineMs)
            if let track = call.video { video.add(track) }
            if let track = call.audio { audio.add(track) }
            transport.add(call.transport)
        }
    }

    private(set) var calls = 0
    private(set) var connected = 0
    private var firstFrames = Sample()
    /// From the acceptance to the first frame that was shown.
    private var acceptToShown = (caller: Sample(), callee: Sample())
    /// Of calls of which one end is known each; its figures stand beside those above.
    private(set) var end: End?
    /// Of calls of which both ends are known.
    private(set) var caller: End?
    private(set) var callee: End?

    var firstFrameMs: Spread? { Spread(firstFrames) }

    /// For calls of which both ends are known with `isPair`, and else one end.
    init(isPair: Bool) {
        if isPair { (caller, callee) = (End(), End()) } else { end = End() }
    }

    /// Adds a call, by the one end that is known, or by both; `callee` is nil, too, if a call of which both would be known never reached it.
    mutating func add(_ call: CallDocument, callee other: CallDocument? = nil) {
        calls += 1
        let isPair = end == nil
        if call.isConnected, !isPair || other?.isConnected == true { connected += 1 }
        let firstFrame = isPair ? Self.firstFrameMs(call, other) : call.milliseconds(of: .firstVideoFrame)
        if let firstFrame { firstFrames.add(firstFrame) }
        for shown in [call, other].compactMap(\.self) {
            guard let ms = shown.acceptToShownMs else { continue }
            if shown.role == .caller { acceptToShown.caller.add(ms) } else { acceptToShown.callee.add(ms) }
        }
        end?.add(call)
        caller?.add(call)
        if let other { callee?.add(other) }
    }

    /// The later of both ends' first decoded frame, counted from the caller's `call()`.
    private static func firstFrameMs(_ caller: CallDocument, _ callee: CallDocument?) -> Double? {
        guard let callee, let mine = caller.milliseconds(of: .firstVideoFrame),
            let theirs = callee.milliseconds(of: .firstVideoFrame)
        else { return nil }
        return Swift.max(mine, theirs + callee.startedUnixMs - caller.startedUnixMs).rounded(toPlaces: 2)
    }
}

extension SummaryDocument: Encodable {
    private enum CodingKeys: CodingKey { case calls, connected, firstFrameMs, acceptToShownMs, caller, callee }

    private struct AcceptToShown: Encodable {
        let caller: Spread?
        let callee: Spread?
    }

    func encode(to encoder: any Encoder) throws {
        try end?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(calls, forKey: .calls)
        try container.encode(connected, forKey: .connected)
        try container.encodeIfPresent(firstFrameMs, forKey: .firstFrameMs)
        let shown = AcceptToShown(caller: Spread(acceptToShown.caller), callee: Spread(acceptToShown.callee))
        try container.encode(shown, forKey: .acceptToShownMs)
        try container.encodeIfPresent(caller, forKey: .caller)
        try container.encodeIfPresent(callee, forKey: .callee)
    }
}

extension SummaryDocument.End: Encodable {
    private enum CodingKeys: CodingKey { case timelineMs, video, audio, transport }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        for (key, tree) in [
            (CodingKeys.timelineMs, timelineMs), (.video, video), (.audio, audio), (.transport, transport),
        ]
        where !tree.isEmpty {
            try container.encode(tree, forKey: key)
        }
    }
}

extension CallDocument {
    fileprivate var acceptToShownMs: Double? {
        guard let accepted = milliseconds(of: .accepted), let shown = milliseconds(of: .firstVideoShown) else {
            return nil
        }
        return (shown - accepted).rounded(toPlaces: 2)
    }
}

/// All calls of a command, after their end: `--json` prints it and `--expect` checks it.
struct CallsDocument: Encodable {
    let calls: [DetailedCallDocument]
    let summary: SummaryDocument

    init(_ ended: [EndedCall]) {
        calls = ended.map { DetailedCallDocument($0) }
        var summary = SummaryDocument(isPair: false)
        for detailed in calls { summary.add(detailed.call) }
        self.summary = summary
    }
}
