internal import CallAgent

/// What one end sent and received, for a person.
enum MediaLines {
    static func lines(_ report: CallReport) -> [String] {
        var lines: [String] = []
        if let track = report.statistics.video {
            let (sent, received) = (track.sent, track.received)
            lines.append(
                "  pictures  sent \(size(sent.width, sent.height)) \(sent.codec), \(sent.frames); received "
                    + "\(size(received.width, received.height)) \(received.codec), \(received.decoded), "
                    + "\(received.distinctFrames ?? 0) of them new")
        }
        if let track = report.statistics.audio {
            let (sent, received) = (track.sent, track.received)
            lines.append(
                "  sound     sent \(pitch(sent.toneHz)) \(sent.codec); received \(pitch(received.toneHz)) \(received.codec)"
            )
        }
        if let end = report.end {
            let by = end.by == .local ? report.user : report.peer
            lines.append(
                "  ended     \(end.reason.rawValue) (\(end.code)) by \(by)"
                    + (end.text.isEmpty ? "" : ": \(end.text.printable)"))
        }
        return lines
    }

    private static func size(_ width: Int?, _ height: Int?) -> String {
        guard let width, let height else { return "no picture" }
        return "\(width)x\(height)"
    }

    private static func pitch(_ hertz: Double?) -> String {
        guard let hertz else { return "no tone" }
        return "\(hertz.rounded(toPlaces: 1)) Hz"
    }
}
