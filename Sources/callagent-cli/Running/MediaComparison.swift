internal import CallAgent
internal import MediaEngine

/// What each end of a call received, beside what the other one sent.
struct MediaComparison {
    private let caller: CallReport
    private let callee: CallReport
    private let expected: CallMedia

    /// - Parameter expected: the media that both ends send
    init(_ caller: CallReport, _ callee: CallReport, expected: CallMedia = .audioVideo) {
        self.caller = caller
        self.callee = callee
        self.expected = expected
    }

    /// The faults of the received media; empty if the call is all right.
    var complaints: [String] {
        [(from: caller, to: callee), (from: callee, to: caller)].flatMap { pair in
            let direction = "\(pair.from.user) to \(pair.to.user)"
            guard pair.to.timeline.instant(of: .connected) != nil else {
                let end = pair.to.end.map { "\($0.reason.rawValue) \($0.text)" } ?? "no end"
                return ["\(direction): never connected (\(end))"]
            }
            let (sent, received) = (pair.from.statistics, pair.to.statistics)
            let isAdapted = pair.from.records.contains { $0.action.hasPrefix("videoAdapted") }
            let video =
                expected.video ? Self.video(sent.video?.sent, received.video?.received, isAdapted: isAdapted) : []
            let audio = expected.audio ? Self.audio(sent.audio?.sent, received.audio?.received) : []
            return (video + audio).map { "\(direction): \($0)" }
        }
    }

    /// The frames that may be in flight when a call ends and do not count as missing: half a second.
    ///
    /// Frames are counted in front of the encoder, which may be that far behind on a slow machine.
    private static let framesInFlight = Double(VideoFormat().framesPerSecond) / 2

    /// - Parameter isAdapted: whether the sender left out frames because of the network
    private static func video(
        _ sent: MediaReport.Sent?, _ received: MediaReport.Received?, isAdapted: Bool
    ) -> [String] {
        guard let sent, let received else { return ["no video"] }
        var complaints: [String] = []
        // A change of size may still be on its way.
        if sent.frameSizeChanges == 0, (sent.width, sent.height) != (received.width, received.height) {
            complaints.append("the received video has another size than the sent video")
        }
        let arrived = received.framesReceived ?? 0
        if Double(arrived) < 0.9 * Double(sent.frames) - framesInFlight {
            complaints.append("only \(arrived) of \(sent.frames) frames arrived")
        }
        if let dropped = received.framesDropped,
            Double(dropped) > 0.1 * Double(dropped + received.decoded) + framesInFlight
        {
            complaints.append("only \(received.decoded) of \(dropped + received.decoded) frames were decoded")
        }
        if (received.distinctFrames ?? 0) < received.decoded / 2 { complaints.append("the video stands still") }
        if !isAdapted, let marked = received.quality?.framesMarked, let missing = received.quality?.framesMissing,
            Double(missing) > 0.1 * Double(marked + missing) + framesInFlight
        {
            complaints.append("\(missing) of \(marked + missing) captured frames were never decoded")
        }
        if let reordered = received.quality?.framesReordered, reordered > 0 {
            complaints.append("\(reordered) frames came after a later one")
        }
        if received.shownBeforeOpening > 0 { complaints.append("frames were shown before the call was connected") }
        return complaints
    }

    /// The pitch is known only after some windows of 100 ms without a gap: in samples at 48 kHz.
    private static let samplesUntilPitch = 24_000

    /// Gaps that a busy machine makes, beside a tenth of the call.
    private static let toleratedGapsMs = 500.0

    private static func audio(_ sent: MediaReport.Sent?, _ received: MediaReport.Received?) -> [String] {
        guard let sent, let received else { return ["no audio"] }
        var complaints: [String] = []
        if let tone = sent.toneHz, received.decoded >= samplesUntilPitch,
            !(received.toneHz.map { abs($0 - tone) <= 0.02 * tone } ?? false)
        {
            complaints.append("the audio is not the tone of \(tone) Hz that was sent")
        }
        if received.decoded == 0 { complaints.append("no audio") }
        let (gaps, whole) = (received.audioQuality?.totalGapsMs ?? 0, received.seconds * 1_000)
        if gaps > 0.1 * whole + toleratedGapsMs {
            complaints.append("the audio was interrupted for \(Int(gaps)) of \(Int(whole)) ms")
        }
        if received.shownBeforeOpening > 0 { complaints.append("audio was heard before the call was connected") }
        return complaints
    }
}
