internal import CallAgent

/// A call of the page in a browser, after its end, as far as the page knows about it.
///
/// The figures have the names and units of a `CallDocument`. docs/cli.md lists which of them a page has.
struct PageCall: Codable, Sendable {
    struct End: Codable, Sendable {
        let reason: String
        let code: Int
        let text: String
        /// The user who ended it.
        var by: String

        init(_ end: CallEnd, by user: String) {
            (reason, code, text, by) = (end.reason.rawValue, end.code, end.text, user)
        }
    }

    struct Sent: Codable, Sendable {
        let packetsSent: Double
        var framesSent: Double?
        var frameWidth: Double?
        var frameHeight: Double?
    }

    struct Received: Codable, Sendable {
        let packetsReceived: Double
        let packetsLost: Double
        var lossPercent: Double?
        var jitterMs: Double?
        var framesDecoded: Double?
        var distinctFrames: Double?
        var freezeCount: Double?
        var frameWidth: Double?
        var frameHeight: Double?
        var samples: Double?
        var silentMs: Double?
    }

    struct Track: Codable, Sendable {
        let sent: Sent
        let received: Received
    }

    struct Transport: Codable, Sendable {
        var roundTripTimeMs: Double?
    }

    let callId: String
    let role: CallRole
    let peer: String
    var end: End
    let timelineMs: [String: Double]
    var connectedMs: Double?
    var video: Track?
    var audio: Track?
    var transport: Transport?

    /// The paths of all figures.
    static let figures: [String] = {
        let kinds = ["video", "audio"].flatMap { kind in
            [
                "sent.packetsSent", "received.packetsReceived", "received.packetsLost", "received.lossPercent",
                "received.jitterMs",
            ].map { "\(kind).\($0)" }
        }
        let video = [
            "sent.framesSent", "sent.frameWidth", "sent.frameHeight", "received.framesDecoded",
            "received.distinctFrames", "received.freezeCount", "received.frameWidth", "received.frameHeight",
        ]
        return ["connectedMs", "end.code"] + CallTimeline.Stage.allCases.map { "timelineMs.\($0.rawValue)" } + kinds
            + video.map { "video.\($0)" }
            + ["audio.received.samples", "audio.received.silentMs", "transport.roundTripTimeMs"]
    }()

    /// When each stage was reached, in ms since the call began.
    var stages: [CallTimeline.Stage: Double] {
        let known = timelineMs.compactMap { name, ms in CallTimeline.Stage(rawValue: name).map { ($0, ms) } }
        return Dictionary(uniqueKeysWithValues: known)
    }

    /// Why the call fails as it would in `callagent call`; nil if it ended normally.
    var failure: Failure? {
        let text = end.text.isEmpty ? "" : ": \(end.text.printable)"
        guard let reason = EndReason(rawValue: end.reason) else {
            return Failure(.noMedia, "the call ended with \(end.reason.printable) (\(end.code))\(text)")
        }
        return Failure(CallEnd(reason: reason, code: end.code, text: end.text, by: .local), peer: peer)
    }
}

/// The calls of a page as `--json` has them.
struct PageCallsDocument: Encodable {
    struct Summary: Encodable {
        let calls: Int
        let connected: Int
    }

    let calls: [PageCall]
    let summary: Summary

    init(_ calls: [PageCall]) {
        self.calls = calls
        summary = Summary(calls: calls.count, connected: calls.count { $0.connectedMs != nil })
    }

    /// The figures of the summary.
    static let figures = ["summary.calls", "summary.connected"]
}
