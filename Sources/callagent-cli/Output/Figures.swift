internal import CallAgent
internal import Foundation
internal import MediaEngine

/// The paths of the figures in the JSON documents of calls; docs/cli.md explains them.
enum Figures {
    /// Which document.
    enum Document {
        /// Of commands that know one end of each call.
        case calls
        /// Of the demo, which knows both.
        case demo
        /// Of a load, which knows one end of each call.
        case load
        /// Of a load with both ends.
        case loadedPairs
        /// Of a page in a browser, which measures less.
        case page

        fileprivate var hasBothEnds: Bool { self == .demo || self == .loadedPairs }
        fileprivate var hasUsage: Bool { self == .load || self == .loadedPairs }
    }

    /// The figures of one end of a call.
    static let ofCall =
        ["connectedMs", "startedUnixMs", "end.code"] + ofTimeline + ofMedia + ofMessages

    /// Those of a call with `--data-channel`.
    private static let ofMessages = [
        "messagesSent", "messagesReceived", "messagesMissing", "messagesReordered", "longestPauseMs",
    ].map { "dataChannel.\($0)" }

    /// Those of further videos.
    private static let ofAdditionalVideos = (2...TrackID.maximumVideos).flatMap { number in
        ofMedia.filter { $0.hasPrefix("video.") }.map { "\(TrackID.video(number))\($0.dropFirst("video".count))" }
    }

    private static let ofTimeline = CallTimeline.Stage.allCases.map { "timelineMs.\($0.rawValue)" }

    /// Those that a summary has, too, like those of the timeline: each of them over all calls.
    private static let ofMedia =
        ["video", "audio"].flatMap { kind in
            [
                "sent.kbitPerSecond", "sent.packetsSent", "sent.packetsLost", "sent.lossPercent", "sent.jitterMs",
                "sent.roundTripTimeMs", "received.kbitPerSecond", "received.packetsReceived", "received.packetsLost",
                "received.lossPercent", "received.jitterMs", "received.rtpPacketsBeforeAccept",
                "received.rtpPacketsWhileOff", "received.rtpPacketsWhileHeld", "received.aboveMaxRateMs",
            ].map { "\(kind).\($0)" }
        }
        + [
            "ticks", "gapCount", "totalGapsMs", "longestGapMs", "clickCount",
        ].map { "audio.received.quality.\($0)" }
        + [
            "audio.received.quality.delayMs", "audio.received.quality.videoOffsetMs", "video.received.quality.delayMs",
            "video.received.quality.psnrDb", "video.received.quality.ssim", "audio.received.speech.spectralDistanceDb",
        ]
        .flatMap { spread in ["min", "median", "p95", "max"].map { "\(spread).\($0)" } } + [
            "video.sent.retransmittedPacketsSent", "video.sent.targetBitrate",
            "video.sent.qualityLimitationDurationsMs.bandwidth", "video.sent.qualityLimitationDurationsMs.cpu",
            "video.sent.qualityLimitationDurationsMs.none",
            "transport.availableOutgoingBitrate", "transport.availableIncomingBitrate",
            "video.received.retransmittedPacketsReceived",
            "video.sent.frameWidth", "video.sent.frameHeight", "video.sent.framesSent", "video.sent.framesDropped",
            "video.sent.frameSizeChanges", "video.received.frameWidth", "video.received.frameHeight",
            "video.received.framesReceived", "video.received.keyFramesReceived", "video.received.framesDecoded",
            "video.received.framesDropped", "video.received.frameSizeChanges",
            "video.received.distinctFrames", "video.received.freezeCount", "video.received.totalFreezesDurationMs",
            "video.received.quality.longestFreezeMs", "video.received.quality.longestStillMs",
            "video.received.quality.playoutDelayMs",
            "video.received.quality.framesMarked", "video.received.quality.framesMissing",
            "video.received.quality.framesRepeated",
            "video.received.quality.framesReordered",
            "video.received.blackFrames", "audio.received.silentMs", "audio.received.clippedMs",
            "video.received.shownBeforeConnected", "video.received.framesWhileMuted", "audio.sent.toneHz",
            "audio.received.samples", "audio.received.concealedMs", "audio.received.speech.syllables",
            "audio.received.toneHz", "audio.received.mosEstimate", "audio.received.heardBeforeConnected",
            "audio.received.audibleMsWhileMuted",
            "transport.roundTripTimeMs",
            "transport.packetsLost", "transport.bytesSent", "transport.bytesReceived",
            "transport.selectedCandidatePairChanges", "transport.selectedCandidatePairChangedMs",
        ]

    /// What the processes of a load used while most of its calls were up.
    private static let ofUsage = [
        "usage.cpuPercent", "usage.residentMB", "usage.threads", "usage.descriptors", "usage.contextSwitchesPerSecond",
        "usagePerEnd.cpuPercent", "usagePerEnd.residentMB", "usagePerEnd.threads", "usagePerEnd.descriptors",
        "usagePerEnd.contextSwitchesPerSecond",
    ]

    /// The figures of the summary.
    static func ofSummary(_ document: Document) -> [String] {
        let ends = document.hasBothEnds ? ["caller.", "callee."] : [""]
        let spread =
            (document.hasUsage ? ofUsage : []) + ["firstFrameMs", "acceptToShownMs.caller", "acceptToShownMs.callee"]
            + ends.flatMap { end in (ofTimeline + ofMedia).map { end + $0 } }
        return ["calls", "connected"]
            + spread.flatMap { path in Spread.names.map { "\(path).\($0)" } }
    }

    /// What is wrong with a path of `--expect`, and what to write; nil if a document can have it.
    static func complaint(about path: [String], in document: Document) -> String? {
        // One call instead of every call.
        let isOneCall = path.count > 2 && path[0] == "calls" && Int(path[1]) != nil
        if document.hasUsage, isOneCall, let index = Int(path[1]), index >= LoadTally.wholeCalls {
            return
                "the report of a load has its first \(LoadTally.wholeCalls) calls: the last is calls.\(LoadTally.wholeCalls - 1)"
        }
        let inCall = isOneCall ? Array(path.dropFirst(2)) : path
        let ends = document.hasBothEnds ? ["caller", "callee"] : []
        let namesEnd = inCall.first.map(ends.contains) == true
        // W3C's statistics are a list: a place in it, then W3C's name.
        let atEnd = namesEnd ? Array(inCall.dropFirst()) : inCall
        if document != .page, namesEnd != ends.isEmpty, atEnd.count == 3, atEnd[0] == "statistics", Int(atEnd[1]) != nil
        {
            return document.hasUsage
                ? "the calls of a load have no 'statistics'; use figures such as \(ofMedia[0])" : nil
        }
        let text = inCall.joined(separator: ".")
        let ofEnd = ofCall + ofAdditionalVideos
        let known =
            document == .page
            ? PageCall.figures + (isOneCall ? [] : PageCallsDocument.figures)
            : (ends.isEmpty ? ofEnd : ends.flatMap { end in ofEnd.map { "\(end).\($0)" } })
                + (isOneCall ? [] : ofSummary(document).map { "summary.\($0)" })
        guard !known.contains(text) else { return nil }
        if !ends.isEmpty, !namesEnd, let nearest = Misspelling.nearest(to: text, among: ofCall) {
            return "a call has two ends: begin with caller. or callee., such as caller.\(nearest)"
        }
        let nearest = Misspelling.nearest(to: text, among: known)
        let advice = nearest.map { "did you mean '\($0)'?" } ?? "docs/cli.md lists the figures, and --json prints them"
        let lacks = document == .page ? "a page has no figure" : "there is no figure"
        return "\(lacks) '\(text.printable)'; \(advice)"
    }

    /// Why a call lacks a figure that calls can have, as the end of a sentence; empty if that is not known.
    static func absence(of path: [String], in call: [String: Any]) -> String {
        let ends = ["caller", "callee"]
        if let first = path.first, ends.contains(first), let end = call[first] as? [String: Any] {
            return absence(of: Array(path.dropFirst()), in: end)
        }
        guard path.count > 1 else { return ", because it was not connected" }
        let (head, last) = (path[0], path[path.count - 1])
        if head == "timelineMs" { return ", because it did not come that far" }
        if head == "end" { return ", because it has not ended" }
        if head == "transport" { return ", because the peer reported nothing" }
        if head == "dataChannel", call[head] == nil { return ", because no messages were sent (--data-channel)" }
        guard let track = call[head] as? [String: Any] else {
            return ", because \(call["connectedMs"] == nil ? "it was not connected" : "it had no \(head)")"
        }
        let way = track[path[1]] as? [String: Any] ?? [:]
        let packets = way[path[1] == "sent" ? "packetsSent" : "packetsReceived"] as? NSNumber
        if packets?.intValue == 0 { return ", because no \(head) was \(path[1])" }
        if path.contains("speech") {
            return ", because no two syllables of the source speech were heard; the peer's source has to be speech"
        }
        if last == "toneHz" { return ", because there was no clear tone" }
        if path.contains("quality") {
            let quality = way["quality"] as? [String: Any]
            if head == "audio", quality == nil {
                return ", because the peer's audio did not tick twice; its source has to be clock"
            }
            if quality?["framesMarked"] != nil {
                return ", because no frame with a mark was compared; it has to be 108 pixels high"
            }
            return ", because the peer's frames have no marks; its source has to be clock"
        }
        if last == "rtpPacketsBeforeAccept" { return ", because that is measured at the caller of an accepted call" }
        return path[1] == "sent" ? ", because the peer reported nothing" : ""
    }
}
