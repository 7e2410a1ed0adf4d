internal import CallAgent
internal import Foundation

/// A call's timeline for a person: stage, milliseconds, and a bar from the previous stage.
struct Waterfall {
    /// The width of the bars, in columns.
    private static let width = 40
    /// A longer pause, in ms, is drawn at this length: the user took time to accept.
    private static let longestGap = 60.0

    /// The first line.
    private let title: String
    /// When each stage was reached.
    private let milliseconds: [CallTimeline.Stage: Double]

    init(title: String, _ milliseconds: [CallTimeline.Stage: Double]) {
        (self.title, self.milliseconds) = (title, milliseconds)
    }

    init(report: CallReport) {
        self.init(title: "\(report.role.rawValue) \(report.user)", report.timeline.milliseconds)
    }

    var lines: [String] {
        let stages = CallTimeline.Stage.allCases
            .compactMap { stage in milliseconds[stage].map { (stage: stage, ms: $0) } }
            .filter { $0.stage != .ended }
            .sorted { $0.ms < $1.ms }
        var lines = [title]
        var position = 0.0
        var drawn: [(stage: CallTimeline.Stage, ms: Double, from: Double, to: Double)] = []
        var previous = 0.0
        for (stage, ms) in stages {
            let from = position
            position += min(ms - previous, Self.longestGap)
            drawn.append((stage, ms, from, position))
            previous = ms
        }
        let scale = position > 0 ? Double(Self.width) / position : 0
        for row in drawn {
            let start = Int((row.from * scale).rounded(.down))
            let end = max(start + 1, Int((row.to * scale).rounded()))
            let bar = String(repeating: " ", count: start) + String(repeating: "█", count: end - start)
            let name = row.stage.title.padding(toLength: 22, withPad: " ", startingAt: 0)
            lines.append("  \(name)\(Self.number(row.ms)) ms  \(bar)")
        }
        return lines
    }

    private static func number(_ ms: Double) -> String { String(format: "%8.1f", ms) }
}

extension CallTimeline.Stage {
    fileprivate var title: String {
        switch self {
        case .invited: "invited"
        case .offerCreated: "offer created"
        case .answerCreated: "answer created"
        case .firstCandidate: "first candidate"
        case .ringing: "ringing"
        case .answerReceived: "answer received"
        case .iceConnected: "ICE connected"
        case .dtlsConnected: "DTLS, peer verified"
        case .firstVideoFrame: "first frame decoded"
        case .firstAudioSample: "first audio decoded"
        case .accepted: "accepted"
        case .connected: "connected"
        case .firstVideoShown: "first frame shown"
        case .firstAudioHeard: "first audio heard"
        case .ended: "ended"
        }
    }
}
