internal import CallAgent
internal import Foundation
internal import MediaEngine

/// What one end sent and received, for a person.
enum MediaLines {
    static func lines(_ report: CallReport, _ messages: TestMessages.Figures? = nil) -> [String] {
        var lines: [String] = []
        for (number, track) in report.statistics.videos.sorted(by: { $0.key < $1.key }) {
            let name = "\(TrackID.video(number))".padding(toLength: 9, withPad: " ", startingAt: 0)
            let (sent, received) = (track.sent, track.received)
            let repeated = received.decoded - (received.distinctFrames ?? received.decoded)
            let black = received.broken.blackFrames ?? 0
            lines.append(
                "  \(name) sent \(frames(sent.frames, sent.width, sent.height, sent.codec)); received "
                    + frames(received.decoded, received.width, received.height, received.codec)
                    + (repeated > 0 ? " (\(repeated) repeated)" : "") + quality(received.quality)
                    + (black > 0 ? ", \(black) black" : ""))
        }
        if let track = report.statistics.audio {
            let (sent, received) = (track.sent, track.received)
            let clipped = Int((received.clippedMs ?? 0).rounded())
            lines.append(
                "  audio     sent \(audio(sent.frames, sent.toneHz, sent.codec)); received "
                    + audio(received.decoded, received.toneHz, received.codec) + quality(received.audioQuality)
                    + quality(received.speechQuality)
                    + (clipped > 0 ? ", clipped for \(clipped) ms" : ""))
        }
        if let messages {
            lines.append(
                "  messages  sent \(messages.messagesSent); received \(messages.messagesReceived)"
                    + (messages.messagesMissing > 0 ? ", \(messages.messagesMissing) missing" : "")
                    + (messages.messagesReordered > 0 ? ", \(messages.messagesReordered) out of order" : ""))
        }
        let broken = broken(report.statistics)
        if !broken.isEmpty { lines.append("  broken    the peer sent " + broken.joined(separator: "; ")) }
        if let end = end(of: report) { lines.append("  ended     \(end)") }
        return lines
    }

    /// What arrived against what the peer reported; empty if it kept its word.
    private static func broken(_ report: MediaReport) -> [String] {
        [("video", report.video), ("audio", report.audio)].flatMap { kind, track in
            let broken = track?.received.broken ?? BrokenAnnouncements()
            let found: [(count: Int, text: String)] = [
                (broken.framesWhileMuted ?? 0, "frames that were not black while its video was muted"),
                (Int((broken.audibleMsWhileMuted ?? 0).rounded()), "ms of sound while its audio was muted"),
                (broken.packetsWhileOff, "RTP packets while its \(kind) was off"),
                (broken.packetsWhileHeld, "RTP packets of \(kind) while the call was held"),
                (track?.received.aboveMaxRateMs ?? 0, "ms of \(kind) above the rate that was allowed"),
            ]
            return found.filter { $0.count > 0 }.map { "\($0.count) \($0.text)" }
        }
    }

    /// The whole call in a line, such as `alice: 10.1 s ended, remoteHangup (9900) by alice; first frame after 44 ms`.
    static func summary(_ report: CallReport) -> String {
        let timeline = report.timeline
        let time = timeline.milliseconds(of: .ended).map { "\(NoticeLine.time($0)) " } ?? ""
        let frame = timeline.milliseconds(of: .firstVideoFrame).map { "; first frame after \(Int($0.rounded())) ms" }
        return "\(report.peer): \(time)ended" + (end(of: report).map { ", \($0)" } ?? "") + (frame ?? "")
    }

    private static func end(of report: CallReport) -> String? {
        guard let end = report.end else { return nil }
        let by = end.by == .local ? report.user : report.peer
        return "\(end.reason.rawValue) (\(end.code)) by \(by)" + (end.text.isEmpty ? "" : ": \(end.text.printable)")
    }

    /// Such as `, delay 9 ms, PSNR 41 dB, 2 missing`; empty for frames without marks.
    private static func quality(_ quality: VideoQuality?) -> String {
        guard let quality, let delay = quality.delayMs else { return "" }
        let missing = quality.framesMissing ?? 0
        let psnr = quality.psnrDb.map { ", PSNR \(Int($0.median.rounded())) dB" } ?? ""
        return ", delay \(Int(delay.median)) ms" + psnr + (missing > 0 ? ", \(missing) missing" : "")
    }

    /// Such as `, delay 31 ms, 4 ms after the video, 2 gaps`; empty for audio without ticks.
    private static func quality(_ quality: AudioQuality?) -> String {
        guard let quality, let delay = quality.delayMs else { return "" }
        let offset = quality.videoOffsetMs.map { Int($0.median) }
        let gaps = quality.gapCount == 1 ? "1 gap" : "\(quality.gapCount) gaps"
        return ", delay \(Int(delay.median)) ms"
            + (offset.map { ", \(abs($0)) ms \($0 < 0 ? "before" : "after") the video" } ?? "")
            + (quality.gapCount > 0 ? ", \(gaps)" : "")
    }

    /// Such as `, spectral distance 1.2 dB`; empty for audio that is not the source `speech`.
    private static func quality(_ quality: SpeechQuality?) -> String {
        quality?.spectralDistanceDb.map { ", spectral distance \($0.median) dB" } ?? ""
    }

    private static func frames(_ count: Int, _ width: Int?, _ height: Int?, _ codec: String) -> String {
        guard count > 0, let width, let height else { return "no video" }
        return "\(width)x\(height) \(codec), \(count) frames"
    }

    /// With the pitch, if it is a tone.
    private static func audio(_ count: Int, _ hertz: Double?, _ codec: String) -> String {
        guard count > 0 else { return "no audio" }
        return (hertz.map { "\($0.rounded(toPlaces: 1)) Hz " } ?? "") + codec
    }
}
